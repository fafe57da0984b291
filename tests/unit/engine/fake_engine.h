// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "fake_capture.h"

// An engine in memory: nothing is observed but what a test puts in.
namespace compmond::engine::test {

class FakeEngine : public Engine {
 public:
  explicit FakeEngine(Fake& fake) : fake_(fake) {}
  const Traits& traits() const override { return fake_.traits; }
  void attach_by(const std::string& word) override { fake_.forced = word; }
  Diagnosis diagnose() const override {
    Diagnosis out;
    out.outcome = fake_.broken ? fake_.broken->code : Exit::kOk;
    return out;
  }
  std::unique_ptr<plan::Planner> planner(const std::vector<plan::Candidate>&) const override {
    return std::make_unique<Planner>(fake_);
  }
  plan::Costs typical_costs() const override { return costs(false); }
  Result<plan::Costs> calibrate() override {
    if (fake_.broken) return Unexpected(*fake_.broken);
    return costs(true);
  }
  Result<std::unique_ptr<Capture>> open(const plan::Plan&, const CaptureOptions& with) override {
    if (fake_.broken) return Unexpected(*fake_.broken);
    fake_.opened_with = with;
    return std::unique_ptr<Capture>(new FakeCapture(fake_));
  }

 private:
  class Planner : public plan::Planner {
   public:
    explicit Planner(const Fake& fake) : fake_(fake) {}
    std::vector<plan::Way> plan(const plan::Wanted& wanted) override {
      plan::Way out;
      out.refused = fake_.not_planned.contains(wanted.function.name);
      if (out.refused) out.reason = "it is not planned";
      return {std::move(out)};
    }

   private:
    const Fake& fake_;
  };
  plan::Costs costs(bool measured) const {
    plan::Costs out(measured);
    out.set(fake_.traits.name, "anywhere", spec::ExitMode::kReturnProbe,
            {fake_.cost_ns / 2, fake_.cost_ns / 2});
    return out;
  }
  Fake& fake_;
};

inline std::vector<std::unique_ptr<Engine>> engines(std::initializer_list<Fake*> fakes) {
  std::vector<std::unique_ptr<Engine>> out;
  for (Fake* fake : fakes) out.push_back(std::make_unique<FakeEngine>(*fake));
  return out;
}

// So many operations f0, f1, … of one image, each with a way of each of these engines.
inline plan::Plan plan_of(size_t operations, std::initializer_list<const Fake*> fakes) {
  plan::Plan out;
  out.images.emplace_back().path = "/bin/app";
  for (size_t i = 0; i < operations; ++i) {
    plan::PlannedOperation& op = out.operations.emplace_back();
    op.name = op.symbol = "f" + std::to_string(i);
    op.image = 0;
    for (const Fake* fake : fakes) {
      plan::Way& way = op.ways.emplace_back();
      way.engine = fake->traits.name;
      way.site = "anywhere";
    }
  }
  return out;
}

}  // namespace compmond::engine::test
