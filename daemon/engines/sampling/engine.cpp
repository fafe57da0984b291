// SPDX-License-Identifier: Apache-2.0
#include "sampler/engine.h"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

#include "sampler/diagnosis.h"
#include "sampler/newcomers.h"
#include "sampler/planner.h"
#include "sampler/sampler.h"
#include "unwind/child_unwinder.h"
#include "unwind/moved_places.h"

namespace compmond::sampler {
namespace {

class Capture : public engine::Capture, private sampling::SampleSource {
 public:
  Capture(std::unique_ptr<unwind::ChildUnwinder> unwinder,
          std::unique_ptr<unwind::MovedPlaces> places, std::unique_ptr<Sampler> sampler)
      : unwinder_(std::move(unwinder)),
        places_(std::move(places)),
        sampler_(std::move(sampler)),
        events_(*sampler_) {}

  Result<std::unique_ptr<engine::Placed>> place(const plan::Plan&, const plan::OperationStates&,
                                                engine::Scope scope, std::span<const size_t>,
                                                plan::See) override {
    return std::make_unique<engine::Placed>(scope);  // nothing is to be placed anywhere
  }
  record::EventSource& events() override { return events_; }
  void record(engine::Recording recording) override { sampler_->set_recording(recording); }
  engine::Targets* targets() override { return sampler_.get(); }
  sampling::SampleSource* samples() override { return this; }
  std::string attach() const override { return "timer"; }
  std::vector<std::string> notes() const override {
    std::vector<std::string> out = sampler_->notes();
    const std::lock_guard lock(mutex_);
    out.insert(out.end(), unwinder_notes_.begin(), unwinder_notes_.end());
    return out;
  }

 private:
  void drain(sampling::SampleSink& sink) override {
    sampler_->drain(sink);
    std::vector<std::string> notes = unwinder_->take_notes();
    const std::lock_guard lock(mutex_);
    std::ranges::move(notes, std::back_inserter(unwinder_notes_));
  }

  Rest rest() override { return sampler_->rest(); }

  std::unique_ptr<unwind::ChildUnwinder> unwinder_;
  std::unique_ptr<unwind::MovedPlaces> places_;  // asks it
  std::unique_ptr<Sampler> sampler_;             // asks that
  Newcomers events_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> unwinder_notes_;
};

class Engine : public engine::Engine {
 public:
  explicit Engine(double hz)
      : traits_{.name = kEngine, .writes_target = false, .follows = true, .calls = false},
        hz_(hz) {}

  const engine::Traits& traits() const override { return traits_; }
  engine::Diagnosis diagnose() const override { return sampler::diagnose(); }
  std::unique_ptr<plan::Planner> planner(
      const std::vector<plan::Candidate>& candidates) const override {
    return std::make_unique<Planner>(candidates);
  }
  plan::Costs typical_costs() const override { return plan::Costs(); }  // no call costs anything
  Result<plan::Costs> calibrate() override { return plan::Costs(); }
  Result<std::unique_ptr<engine::Capture>> open(const plan::Plan&,
                                                const engine::CaptureOptions& options) override {
    auto unwinder = unwind::ChildUnwinder::start();
    if (!unwinder) return Unexpected(unwinder.error());
    auto child = std::make_unique<unwind::ChildUnwinder>(std::move(*unwinder));
    Sampler::Options wanted;
    wanted.hz = hz_;
    wanted.targets = options.targets;
    wanted.moves = options.arrivals;
    auto places = std::make_unique<unwind::MovedPlaces>(*child, options.moved);
    auto sampler = Sampler::open(wanted, *places);
    if (!sampler) return Unexpected(sampler.error());
    return std::unique_ptr<engine::Capture>(
        new Capture(std::move(child), std::move(places), std::move(*sampler)));
  }

 private:
  engine::Traits traits_;
  double hz_;
};

}  // namespace

std::unique_ptr<engine::Engine> make_engine(double hz) { return std::make_unique<Engine>(hz); }

}  // namespace compmond::sampler
