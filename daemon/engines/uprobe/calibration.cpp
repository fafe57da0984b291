// SPDX-License-Identifier: Apache-2.0
#include "uprobe/calibration.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "bpf_engine/uprobe_event.h"
#include "core/middle.h"
#include "plan/plan.h"
#include "plan/states.h"
#include "uprobe/attach.h"
#include "uprobe/kernel.h"
#include "uprobe/way.h"
#include "uprobe_sites/site.h"

extern "C" {
#define COMPMOND_SITE(name)                                \
  void compmond_site_##name##_return_probe();              \
  void compmond_site_##name##_ret_sites();                 \
  extern const char compmond_site_##name##_ret_sites_exit; \
  void compmond_site_##name##_entry_only();
COMPMOND_SITE(nop5)
COMPMOND_SITE(nop)
COMPMOND_SITE(push)
COMPMOND_SITE(jump)
COMPMOND_SITE(stepped)
#undef COMPMOND_SITE
void compmond_site_by_jump();
extern const char compmond_site_by_jump_exit;
void compmond_site_stays();
extern const char compmond_site_stays_at;
extern const char compmond_site_stays_exit;
void compmond_site_chained();
}

namespace compmond::uprobe {
namespace {

using spec::ExitMode;

// What is measured beside a call that ends at a ret.
enum class Beside : uint8_t {
  kNothing,
  kJump,   // it is left by a jump
  kStay,   // it stays at a conditional jump before
  kChain,  // it is left by a jump to another one, whose return probe's trap ends both
};

struct Site {
  SiteKind kind;
  ExitMode mode;
  void (*call)();
  const char* exit = nullptr;
  Beside beside = Beside::kNothing;
  const char* stays_at = nullptr;
};

#define COMPMOND_SITES(kind, name)                                         \
  Site{kind, ExitMode::kReturnProbe, compmond_site_##name##_return_probe}, \
      Site{kind, ExitMode::kRetSites, compmond_site_##name##_ret_sites,    \
           &compmond_site_##name##_ret_sites_exit},                        \
      Site {                                                               \
    kind, ExitMode::kEntryOnly, compmond_site_##name##_entry_only          \
  }
// What is measured beside another place stands next to it.
const std::array kSites = {
    COMPMOND_SITES(SiteKind::kNop5, nop5),
    COMPMOND_SITES(SiteKind::kNop, nop),
    COMPMOND_SITES(SiteKind::kJump, jump),
    COMPMOND_SITES(SiteKind::kStepped, stepped),
    Site{SiteKind::kPush, ExitMode::kReturnProbe, compmond_site_chained, nullptr, Beside::kChain},
    COMPMOND_SITES(SiteKind::kPush, push),
    Site{SiteKind::kPush, ExitMode::kRetSites, compmond_site_stays, &compmond_site_stays_exit,
         Beside::kStay, &compmond_site_stays_at},
    Site{SiteKind::kPush, ExitMode::kRetSites, compmond_site_by_jump, &compmond_site_by_jump_exit,
         Beside::kJump}};
#undef COMPMOND_SITES

// The speed of a shared machine changes by half within milliseconds. So all places are measured in
// turns: what the costs of two differ by does not hang on when each had its turn, and what each
// costs is of all speeds that there were meanwhile.
constexpr int kRounds = 20;
constexpr int kCallsPerRound = 45;  // a stepped probe takes up to 30 µs in a virtual machine

// Collects the raw times of calibration calls by operation.
class Samples : public record::EventSink {
 public:
  void on_thread(record::ThreadId, const record::ThreadInfo&) override {}
  void on_events(record::ThreadId, std::span<const record::Event> events) override {
    for (const record::Event& event : events) {
      if (event.op >= kSites.size()) continue;
      if (event.kind == record::EventKind::kEntry) entry_ns_ = event.time_ns;
      if (event.kind == record::EventKind::kExit)
        raw[event.op].push_back(double(event.time_ns - entry_ns_));
    }
  }
  std::array<std::vector<double>, kSites.size()> raw;

 private:
  uint64_t entry_ns_ = 0;
};

// What one call at each place takes, in ns, round by round.
using Rounds = std::array<std::vector<double>, kSites.size()>;

// After each round `done` is called.
Rounds times_of_calls(const std::function<void()>& done) {
  Rounds rounds;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < kSites.size(); ++i) {
      const uint64_t begin = monotonic_ns();
      for (int call = 0; call < kCallsPerRound; ++call) kSites[i].call();
      rounds[i].push_back(double(monotonic_ns() - begin) / kCallsPerRound);
    }
    done();
  }
  return rounds;
}

size_t index_of(SiteKind kind, ExitMode mode, Beside beside) {
  const auto found = std::ranges::find_if(kSites, [&](const Site& site) {
    return site.kind == kind && site.mode == mode && site.beside == beside;
  });
  return size_t(found - kSites.begin());
}

// How much more it takes than the same without it, from the turns of both in each round.
double more_ns(const Rounds& rounds, ExitMode mode, Beside beside) {
  const std::vector<double>&with = rounds[index_of(SiteKind::kPush, mode, beside)],
        &without = rounds[index_of(SiteKind::kPush, mode, Beside::kNothing)];
  std::vector<double> more;
  std::ranges::transform(with, without, std::back_inserter(more), std::minus());
  return middle_of(std::move(more));
}

Result<plan::Plan> plan_of_sites() {
  constexpr const char* kSelf = "/proc/self/exe";
  Fd self(::open(kSelf, O_RDONLY | O_CLOEXEC));
  if (!self.valid())
    return fail_errno(Exit::kInternal, "cannot open compmond's own executable", errno);
  plan::Plan plan;
  plan.images.push_back({0, kSelf, true, std::make_shared<const Fd>(std::move(self)), 0, 0});
  for (const Site& site : kSites) {
    plan::PlannedOperation op;
    op.image = 0;
    plan::Way& way = op.ways.emplace_back();
    way.engine = kEngine;
    way.exit = site.mode;
    way.may_tail_call = false;
    way.site = to_text(site.kind);
    way.entry_offset = bpf_engine::own_offset(reinterpret_cast<const void*>(site.call));
    if (site.exit) way.exits.push_back({bpf_engine::own_offset(site.exit)});
    if (site.stays_at) {
      constexpr int8_t kZero = 4;  // of jz
      way.exits.push_back({bpf_engine::own_offset(site.stays_at), kZero});
    }
    plan.operations.push_back(std::move(op));
  }
  return plan;
}

Kernel::Options small_kernel(AttachKind kind) {
  Kernel::Options options;
  options.kind = kind;
  options.slots = 64;
  options.lifecycle = false;
  options.tail_calls = false;
  options.ring_bytes = 1u << 20;
  return options;
}

using SiteCosts = std::array<plan::Cost, kSites.size()>;

// How much what is measured beside adds to a call, or takes off it.
struct Besides {
  double cheap_less_ns = 0, stay_ns = 0, chain_less_ns = 0;
};

Besides besides_of(const Rounds& plain, const Rounds& probed) {
  const auto more = [&](ExitMode mode, Beside beside) {
    return more_ns(probed, mode, beside) - more_ns(plain, mode, beside);
  };
  const size_t whole = index_of(SiteKind::kPush, ExitMode::kReturnProbe, Beside::kNothing);
  const double whole_ns = middle_of(probed[whole]) - middle_of(plain[whole]);
  return {std::max(0.0, -more(ExitMode::kRetSites, Beside::kJump)),
          std::max(0.0, more(ExitMode::kRetSites, Beside::kStay)),
          std::max(0.0, whole_ns - more(ExitMode::kReturnProbe, Beside::kChain))};
}

plan::Costs table_of(const SiteCosts& costs, const Besides& besides) {
  plan::Costs table;
  for (size_t i = 0; i < kSites.size(); ++i) {
    if (kSites[i].beside != Beside::kNothing) continue;
    plan::Cost cost = costs[i];
    if (kSites[i].mode != ExitMode::kEntryOnly)
      cost.know_entry(costs[index_of(kSites[i].kind, ExitMode::kEntryOnly, Beside::kNothing)]);
    if (kSites[i].mode == ExitMode::kReturnProbe) cost.cheap_less_ns = besides.chain_less_ns;
    if (kSites[i].mode == ExitMode::kRetSites) {
      cost.cheap_less_ns = besides.cheap_less_ns;
      cost.stay_ns = besides.stay_ns;
    }
    table.set(kEngine, to_text(kSites[i].kind), kSites[i].mode, cost);
  }
  return table;
}

// What probes cost that hang in this way; an error when they cannot.
Result<plan::Costs> measure(const plan::Plan& plan, AttachKind kind) {
  const Rounds plain = times_of_calls([] {});

  auto kernel = Kernel::load(small_kernel(kind));
  if (!kernel) return Unexpected(kernel.error());
  if (auto added = (*kernel)->add(::getpid()); !added) return Unexpected(added.error());
  std::array<size_t, kSites.size()> all{};
  std::iota(all.begin(), all.end(), size_t(0));
  auto attached = Attachment::attach(plan, plan::OperationStates(plan), {0, ::getpid()}, kind,
                                     (*kernel)->programs(), plan::Costs(), all, plan::See::kCalls);
  if (!attached) return Unexpected(attached.error());
  if (!(*attached)->refused().empty())
    return fail(Exit::kUnavailable,
                fmt::format("this kernel cannot attach probes in the way '{}'", to_text(kind)),
                (*attached)->refused().front().reason,
                "`compmond doctor` tells what this kernel can do.");
  (*kernel)->set_recording(engine::Recording::kOn);

  Samples samples;
  kSites[0].call();  // the first hit sets up the thread
  (*kernel)->drain(samples);
  samples.raw = {};
  const Rounds probed = times_of_calls([&] { (*kernel)->drain(samples); });
  SiteCosts costs;
  for (size_t i = 0; i < kSites.size(); ++i) {
    costs[i].inside_ns = std::max(0.0, middle_of(samples.raw[i]));
    costs[i].outside_ns =
        std::max(0.0, middle_of(probed[i]) - middle_of(plain[i]) - costs[i].inside_ns);
  }
  return table_of(costs, besides_of(plain, probed));
}

}  // namespace

Result<Calibration> calibrate(std::optional<AttachKind> forced) {
  const auto plan = plan_of_sites();
  if (!plan) return Unexpected(plan.error());
  Error last;
  for (const AttachKind kind : kAttachKinds) {
    if (forced && *forced != kind) continue;
    auto costs = measure(*plan, kind);
    if (costs) return Calibration{kind, *costs};
    last = costs.error();
    if (last.code == Exit::kNoPermission && kind == AttachKind::kSession && !forced)
      break;  // older ways need more rights
  }
  return Unexpected(last);
}

}  // namespace compmond::uprobe
