// SPDX-License-Identifier: Apache-2.0
#include "inprocess/engine.h"

#include <utility>

#include "inprocess/calibration.h"
#include "inprocess/capture.h"
#include "inprocess/costs.h"
#include "inprocess/planner.h"
#include "rings/tick_clock.h"
#include "surgeon/surgeon.h"

namespace compmond::inprocess {
namespace {

class Engine : public engine::Engine {
 public:
  const engine::Traits& traits() const override { return traits_; }
  engine::Diagnosis diagnose() const override {
    engine::Diagnosis out;
    out.outcome = TickClock::steady() ? Exit::kOk : Exit::kUnavailable;
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
                                                const engine::CaptureOptions&) override {
    const SharedLayout layout;
    auto surgeon = Surgeon::start(layout);
    if (!surgeon) return Unexpected(surgeon.error());
    return std::unique_ptr<engine::Capture>(new Capture(std::move(*surgeon), plan, layout));
  }

 private:
  engine::Traits traits_{.name = kEngine, .in_memory = true};
};

}  // namespace

std::unique_ptr<engine::Engine> make_engine() { return std::make_unique<Engine>(); }

}  // namespace compmond::inprocess
