// SPDX-License-Identifier: Apache-2.0
#include "inprocess/engine.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <utility>
#include <vector>

#include "inprocess/calibration.h"
#include "inprocess/capture.h"
#include "inprocess/costs.h"
#include "inprocess/planner.h"
#include "patient/leftovers.h"
#include "rings/tick_clock.h"
#include "surgeon/surgeon.h"
#include "text/numbers.h"

namespace compmond::inprocess {
namespace {

using engine::Verdict;
constexpr const char* kPatching = "patching";

engine::Finding finding_of_clock() {
  if (TickClock::steady())
    return {Verdict::kGood, kPatching,
            "the processor's counter goes at one pace: --allow-patching works here"};
  return {Verdict::kNote, kPatching,
          "the processor's counter does not go at one pace, so that patched functions could not "
          "say when: --allow-patching does nothing here"};
}

engine::Finding finding_of(const std::vector<pid_t>& left) {
  return {Verdict::kBad, "patched programs",
          fmt::format("a compmond that was killed left its code in {} {}, where it does nothing",
                      left.size() == 1 ? "process" : "processes", fmt::join(left, ", ")),
          "sudo compmond restore"};
}

engine::Finding finding_of_not_seen(size_t processes) {
  const bool root = ::geteuid() == 0;
  return {
      Verdict::kNote, "patched programs",
      fmt::format("{}{} not looked at for what a killed compmond left there{}",
                  text::counted(processes, "process", "processes"), root ? "" : " of other users",
                  root ? ": the kernel lets not even root look into it" : ""),
      root ? "" : "sudo compmond doctor"};
}

class Engine : public engine::Engine {
 public:
  const engine::Traits& traits() const override { return traits_; }
  engine::Diagnosis diagnose() const override {
    engine::Diagnosis out;
    out.findings.push_back(finding_of_clock());
    const LeftBehind left = left_behind();
    if (!left.in.empty()) out.findings.push_back(finding_of(left.in));
    if (left.not_seen > 0) out.findings.push_back(finding_of_not_seen(left.not_seen));
    if (!TickClock::steady()) return out;
    auto costs = measured_costs();
    if (!costs) {
      out.findings.push_back({Verdict::kNote, kPatching, costs.error().text()});
      return out;
    }
    out.outcome = Exit::kOk;
    out.costs = std::move(*costs);
    out.sites = {kSites.begin(), kSites.end()};
    return out;
  }
  std::unique_ptr<plan::Planner> planner(
      const std::vector<plan::Candidate>& candidates) const override {
    return std::make_unique<Planner>(candidates);
  }
  plan::Costs typical_costs() const override { return expected_costs(); }
  Result<plan::Costs> calibrate() override {
    if (!TickClock::steady())
      return fail(Exit::kUnavailable, "the in-process engine does not work here",
                  "the processor's counter does not go at one pace", "");
    return measured_costs();
  }
  Result<std::unique_ptr<engine::Capture>> open(const plan::Plan& plan,
                                                const engine::CaptureOptions& options) override {
    auto surgeon = Surgeon::start();
    if (!surgeon) return Unexpected(surgeon.error());
    return std::unique_ptr<engine::Capture>(
        new Capture(std::move(*surgeon), plan, options.targets.follow_forks, options.moved));
  }

 private:
  engine::Traits traits_{.name = kEngine, .in_memory = true};
};

}  // namespace

std::unique_ptr<engine::Engine> make_engine() { return std::make_unique<Engine>(); }

}  // namespace compmond::inprocess
