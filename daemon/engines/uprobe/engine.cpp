// SPDX-License-Identifier: Apache-2.0
#include "uprobe/engine.h"

#include <sys/utsname.h>

#include <algorithm>
#include <cstdio>
#include <utility>

#include "uprobe/attach.h"
#include "uprobe/calibration.h"
#include "uprobe/costs.h"
#include "uprobe/diagnosis.h"
#include "uprobe/kernel.h"
#include "uprobe/mender.h"
#include "uprobe/planner.h"
#include "uprobe/way.h"
#include "uprobe_exits/exit_choice.h"

namespace compmond::uprobe {
namespace {

// That many return probes may be open per thread: the kernel drops the rest.
constexpr uint32_t kReturnProbes = 64;

// By its number: what works takes rights to find out, and plans are made without.
AttachKind newest_of_this_kernel() {
  constexpr std::pair kSessions{6, 13};
  utsname kernel{};
  std::pair<int, int> number;
  if (::uname(&kernel) != 0 ||
      std::sscanf(kernel.release, "%d.%d", &number.first, &number.second) != 2)
    return AttachKind::kSession;
  return number < kSessions ? AttachKind::kMulti : AttachKind::kSession;
}

class Capture : public engine::Capture {
 public:
  Capture(std::unique_ptr<Kernel> kernel, plan::Costs costs, Mender mender)
      : mender_(std::move(mender)), kernel_(std::move(kernel)), costs_(std::move(costs)) {}

  Result<std::unique_ptr<engine::Placed>> place(const plan::Plan& plan,
                                                const plan::OperationStates& states,
                                                engine::Scope scope,
                                                std::span<const size_t> operations,
                                                plan::See see) override {
    auto out = Attachment::attach(plan, states, scope, kernel_->kind(), kernel_->programs(), costs_,
                                  operations, see);
    if (!out) return Unexpected(out.error());
    return std::unique_ptr<engine::Placed>(std::move(*out));
  }
  Result<std::unique_ptr<engine::Placed>> watch(const plan::Plan& plan, engine::Scope scope,
                                                std::span<const size_t> transfers) override {
    auto out = Attachment::watch(plan, scope, kernel_->kind(), kernel_->programs(), transfers);
    if (!out) return Unexpected(out.error());
    return std::unique_ptr<engine::Placed>(std::move(*out));
  }
  bool harms_strangers(const plan::Way& way) const override {
    return way.exit == spec::ExitMode::kReturnProbe && returns_reach_all(kernel_->kind());
  }
  plan::Strangers strangers(const plan::Plan& plan,
                            const plan::OperationStates& states) const override;
  record::EventSource& events() override { return *kernel_; }
  void record(engine::Recording recording) override { kernel_->set_recording(recording); }
  engine::Targets* targets() override { return kernel_.get(); }
  int alarm_fd() const override { return kernel_->alarm_fd(); }
  std::optional<engine::Alarm> take_alarm() override { return kernel_->take_alarm(); }

  Result<std::unique_ptr<engine::InputCounting>> count_inputs() override {
    if (!kernel_->counts_inputs()) return std::unique_ptr<engine::InputCounting>();
    auto counter = kernel_->count_inputs();
    if (!counter) return Unexpected(counter.error());
    return std::unique_ptr<engine::InputCounting>(std::move(*counter));
  }
  void set_slice(uint32_t number) override { kernel_->set_slice(number); }

  std::string attach() const override { return to_text(kernel_->kind()); }
  std::vector<std::string> notes() const override {
    if (kernel_->kind() != AttachKind::kPerSymbol) return {};
    return {
        "this kernel takes one link per symbol (older than 6.6): placing and removing probes is "
        "slow, see `compmond doctor`"};
  }
  bool opens_perf_events() const override { return kernel_->kind() == AttachKind::kPerSymbol; }

 private:
  Mender mender_;
  std::unique_ptr<Kernel> kernel_;
  plan::Costs costs_;
};

plan::Strangers Capture::strangers(const plan::Plan& plan,
                                   const plan::OperationStates& states) const {
  plan::Strangers out;
  const auto calls = kernel_->stranger_calls();
  out.calls.assign(calls.begin(), calls.end());
  out.cost_ns.resize(out.calls.size());
  if (std::ranges::none_of(out.calls, [](uint64_t n) { return n > 0; })) return out;
  for (size_t i = 0; i < out.calls.size(); ++i) {
    const plan::Way& way = plan::way_of(plan, states, i);
    const bool returns =
        way.exit != spec::ExitMode::kReturnProbe || returns_reach_all(kernel_->kind());
    const plan::Cost cost = costs_.at(way, returns ? plan::See::kCalls : plan::See::kEntries);
    out.cost_ns[i] = double(out.calls[i]) * cost.total_ns();
  }
  out.processes = kernel_->strangers();
  out.more = out.processes >= Kernel::kStrangers;
  return out;
}

class Engine : public engine::Engine {
 public:
  const engine::Traits& traits() const override { return traits_; }
  void attach_by(const std::string& word) override { forced_ = from_text<AttachKind>(word); }
  engine::Diagnosis diagnose() const override { return uprobe::diagnose(); }
  std::unique_ptr<plan::Planner> planner(
      const std::vector<plan::Candidate>& candidates) const override {
    return std::make_unique<Planner>(candidates, returns_reach_all(forced_.value_or(newest_)));
  }
  plan::LaterRisk risk_of(const plan::Candidate& later) const override { return later_risk(later); }
  plan::Costs typical_costs() const override { return uprobe::typical_costs(); }
  Result<plan::Costs> calibrate() override {
    auto found = uprobe::calibrate(forced_);
    if (!found) return Unexpected(found.error());
    kind_ = found->kind;
    return costs_ = std::move(found->costs);
  }
  Result<std::unique_ptr<engine::Capture>> open(const plan::Plan& plan,
                                                const engine::CaptureOptions& options) override {
    Kernel::Options wanted;
    wanted.kind = kind_;
    wanted.targets = options.targets;
    wanted.ring_bytes = options.ring_bytes;
    wanted.guarded = options.guarded;
    wanted.tell_all = options.all_threads;
    wanted.operations = std::max<size_t>(1, plan.operations.size());
    // Where each symbol takes a link, probes come and go too slowly for slices.
    wanted.inputs = options.guarded && kind_ != AttachKind::kPerSymbol;
    const auto any = [&](auto is) {
      return std::ranges::any_of(plan.operations, [&](const plan::PlannedOperation& op) {
        return std::ranges::any_of(op.ways, [&](const plan::Way& way) {
          return way.engine == kEngine && !way.refused && is(op, way);
        });
      });
    };
    wanted.tail_calls = any([](const auto&, const plan::Way& way) {
      return way.exit == spec::ExitMode::kReturnProbe && way.may_tail_call;
    });
    wanted.contexts = any([](const auto& op, const auto&) { return !op.contexts.empty(); });
    auto kernel = Kernel::load(wanted);
    if (!kernel) return Unexpected(kernel.error());
    auto mender = Mender::start(plan, kind_, (*kernel)->programs());
    if (!mender) return Unexpected(mender.error());
    return std::unique_ptr<engine::Capture>(
        new Capture(std::move(*kernel), costs_, std::move(*mender)));
  }

 private:
  engine::Traits traits_{.name = kEngine,
                         .attach_words = all_words<AttachKind>(),
                         .open_exits = kReturnProbes,
                         .follows = true};
  std::optional<AttachKind> forced_;  // none: the best that works
  const AttachKind newest_ = newest_of_this_kernel();
  AttachKind kind_ = AttachKind::kSession;
  plan::Costs costs_;  // as measured
};

}  // namespace

std::unique_ptr<engine::Engine> make_engine() { return std::make_unique<Engine>(); }

}  // namespace compmond::uprobe
