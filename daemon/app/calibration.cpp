// SPDX-License-Identifier: Apache-2.0
#include "app/calibration.h"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "capture/kernel.h"
#include "elf/image.h"
#include "probe/attach.h"
#include "probe/plan.h"

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
}

namespace compmond::app {
namespace {

using elf::SiteKind;
using probe::ExitMode;

struct Site {
  SiteKind kind;
  ExitMode mode;
  void (*call)();
  const char* exit = nullptr;
};

#define COMPMOND_SITES(kind, name)                                         \
  Site{kind, ExitMode::kReturnProbe, compmond_site_##name##_return_probe}, \
      Site{kind, ExitMode::kRetSites, compmond_site_##name##_ret_sites,    \
           &compmond_site_##name##_ret_sites_exit},                        \
      Site {                                                               \
    kind, ExitMode::kEntryOnly, compmond_site_##name##_entry_only          \
  }
const std::array kSites = {
    COMPMOND_SITES(SiteKind::kNop5, nop5), COMPMOND_SITES(SiteKind::kNop, nop),
    COMPMOND_SITES(SiteKind::kPush, push), COMPMOND_SITES(SiteKind::kJump, jump),
    COMPMOND_SITES(SiteKind::kStepped, stepped)};
#undef COMPMOND_SITES

constexpr int kBatches = 15;        // odd: a median; enough that a preempted batch does not matter
constexpr int kCallsPerBatch = 60;  // a stepped probe takes up to 30 µs in a virtual machine

// Load address of compmond's own executable: the first object of dl_iterate_phdr.
uint64_t load_bias() {
  uint64_t bias = 0;
  ::dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* out) {
        *static_cast<uint64_t*>(out) = info->dlpi_addr;
        return 1;
      },
      &bias);
  return bias;
}

Result<std::shared_ptr<elf::Image>> own_image() {
  Fd fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  if (!fd.valid())
    return fail_errno(Exit::kInternal, "cannot open compmond's own executable", errno);
  auto image = elf::Image::open(std::move(fd), "/proc/self/exe");
  if (!image) return Unexpected(image.error());
  return std::make_shared<elf::Image>(std::move(*image));
}

uint64_t own_offset(const elf::Image& image, const void* address) {
  return image.file_offset(reinterpret_cast<uint64_t>(address) - load_bias()).value_or(0);
}

// Collects the raw times of calibration calls by operation.
class Samples : public capture::EventSink {
 public:
  void on_thread(capture::ThreadId, const capture::ThreadInfo&) override {}
  void on_events(capture::ThreadId, std::span<const capture::Event> events) override {
    for (const capture::Event& event : events) {
      if (event.op >= kSites.size()) continue;
      if (event.kind == capture::EventKind::kEntry) entry_ns_ = event.time_ns;
      if (event.kind == capture::EventKind::kExit)
        raw[event.op].push_back(double(event.time_ns - entry_ns_));
    }
  }
  std::array<std::vector<double>, kSites.size()> raw;

 private:
  uint64_t entry_ns_ = 0;
};

double median(std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + long(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// Median time of one call, in ns.
double time_of_call(void (*call)()) {
  std::vector<double> batches;
  for (int b = 0; b < kBatches; ++b) {
    const uint64_t begin = monotonic_ns();
    for (int i = 0; i < kCallsPerBatch; ++i) call();
    batches.push_back(double(monotonic_ns() - begin) / kCallsPerBatch);
  }
  return median(batches);
}

probe::Plan plan_of_sites(const std::shared_ptr<elf::Image>& image) {
  probe::Plan plan;
  plan.images.push_back({image, image->path(), true});
  for (const Site& site : kSites) {
    probe::PlannedOperation op;
    op.image = 0;
    op.exit_mode = site.mode;
    op.may_tail_call = false;
    op.entry_site = site.kind;
    op.entry_offset = own_offset(*image, reinterpret_cast<const void*>(site.call));
    if (site.exit) op.exit_offsets.push_back(own_offset(*image, site.exit));
    plan.operations.push_back(std::move(op));
  }
  return plan;
}

capture::Kernel::Options small_kernel(AttachKind kind) {
  capture::Kernel::Options options;
  options.kind = kind;
  options.slots = 64;
  options.lifecycle = false;
  options.tail_calls = false;
  options.ring_bytes = 1u << 20;
  return options;
}

// What probes cost that hang in this way; an error when they cannot.
Result<probe::CostTable> measure(const probe::Plan& plan, AttachKind kind) {
  std::array<double, kSites.size()> plain{};
  for (size_t i = 0; i < kSites.size(); ++i) plain[i] = time_of_call(kSites[i].call);

  auto kernel = capture::Kernel::load(small_kernel(kind));
  if (!kernel) return Unexpected(kernel.error());
  if (auto added = (*kernel)->add_target(::getpid()); !added) return Unexpected(added.error());
  auto attached = probe::Attachment::attach(plan, {0, ::getpid()}, kind, (*kernel)->programs());
  if (!attached) return Unexpected(attached.error());
  if (!attached->refused().empty())
    return fail(Exit::kUnavailable,
                fmt::format("this kernel cannot attach probes in the way '{}'", to_string(kind)),
                attached->refused().front().reason,
                "`compmond doctor` tells what this kernel can do.");
  (*kernel)->set_recording(capture::Kernel::Recording::kOn);

  Samples samples;
  probe::CostTable table;
  for (size_t i = 0; i < kSites.size(); ++i) {
    kSites[i].call();  // the first hit sets up the thread
    (*kernel)->drain(samples);
    samples.raw[i].clear();
    const double probed = time_of_call(kSites[i].call);
    (*kernel)->drain(samples);
    probe::Cost cost;
    cost.inside_ns = std::max(0.0, median(samples.raw[i]));
    cost.outside_ns = std::max(0.0, probed - plain[i] - cost.inside_ns);
    table.set(kSites[i].kind, kSites[i].mode, cost);
  }
  return table;
}

}  // namespace

Result<Calibration> calibrate(std::optional<AttachKind> forced) {
  auto image = own_image();
  if (!image) return Unexpected(image.error());
  const probe::Plan plan = plan_of_sites(*image);
  Error last;
  for (const AttachKind kind : {AttachKind::kSession, AttachKind::kMulti, AttachKind::kPerSymbol}) {
    if (forced && *forced != kind) continue;
    auto costs = measure(plan, kind);
    if (costs) return Calibration{kind, *costs};
    last = costs.error();
    if (last.code == Exit::kNoPermission && kind == AttachKind::kSession && !forced)
      break;  // older ways need more rights
  }
  return Unexpected(last);
}

}  // namespace compmond::app
