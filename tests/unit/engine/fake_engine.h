// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "../pipeline/list_source.h"
#include "engine/engine.h"

// An engine in memory: nothing is observed but what a test puts in.
namespace compmond::engine::test {

// What one is to do, and what it did; outlives it. Probes may go away on another thread.
class Fake : public Targets {
 public:
  explicit Fake(const std::string& name, bool follows = true) {
    traits.name = name;
    traits.follows = follows;
  }

  Traits traits;
  std::set<std::string> not_planned;  // symbols
  std::optional<Error> broken;        // what calibrate() and open() say
  std::string forced;                 // the word that attach_by() had
  std::string attach = "in memory";   // the word that it has for that
  // Operations that it refuses to place, in a process or (0) anywhere, and why.
  std::map<std::pair<pid_t, size_t>, std::string> refuses;
  pipeline::test::ListSource events;
  std::vector<Recording> recordings;
  std::set<pid_t> gone;  // processes that cannot be added

  // What is placed now: processes (0: all) and operations.
  using Places = std::multiset<std::pair<pid_t, size_t>>;
  Places placed() const {
    const std::lock_guard lock(mutex_);
    return placed_;
  }
  void put(pid_t pid, size_t operation) {
    const std::lock_guard lock(mutex_);
    placed_.insert({pid, operation});
  }
  void take(pid_t pid, size_t operation) {
    const std::lock_guard lock(mutex_);
    placed_.erase(placed_.find({pid, operation}));
  }

  Result<void> add(pid_t pid) override {
    if (gone.contains(pid)) return fail(Exit::kNoInput, "cannot observe it", "it is gone");
    targets_.insert(pid);
    return {};
  }
  void remove(pid_t pid) override { targets_.erase(pid); }
  bool has(pid_t pid) const override { return targets_.contains(pid); }
  std::vector<pid_t> all() const override { return {targets_.begin(), targets_.end()}; }

 private:
  mutable std::mutex mutex_;
  Places placed_;
  std::set<pid_t> targets_;
};

class FakePlaced : public Placed {
 public:
  FakePlaced(Fake& fake, Scope scope, std::span<const size_t> operations)
      : Placed(scope), fake_(fake) {
    for (const size_t i : operations) {
      const auto refusal = fake.refuses.contains({scope.pid, i}) ? fake.refuses.find({scope.pid, i})
                                                                 : fake.refuses.find({0, i});
      if (refusal != fake.refuses.end()) {
        refused_.push_back({i, refusal->second});
        continue;
      }
      fake.put(scope.pid, i);
      operations_.push_back(i);
    }
  }
  ~FakePlaced() override {
    for (const size_t i : operations_) fake_.take(scope().pid, i);
  }

 private:
  Fake& fake_;
  std::vector<size_t> operations_;
};

class FakeCapture : public Capture {
 public:
  explicit FakeCapture(Fake& fake) : fake_(fake) {}
  Result<std::unique_ptr<Placed>> place(const plan::Plan&, Scope scope,
                                        std::span<const size_t> operations) override {
    return std::unique_ptr<Placed>(new FakePlaced(fake_, scope, operations));
  }
  record::EventSource& events() override { return fake_.events; }
  void record(Recording recording) override { fake_.recordings.push_back(recording); }
  Targets* targets() override { return fake_.traits.follows ? &fake_ : nullptr; }
  std::string attach() const override { return fake_.attach; }

 private:
  Fake& fake_;
};

class FakeEngine : public Engine {
 public:
  explicit FakeEngine(Fake& fake) : fake_(fake) {}
  const Traits& traits() const override { return fake_.traits; }
  void attach_by(const std::string& word) override { fake_.forced = word; }
  Diagnosis diagnose() const override {
    Diagnosis out;
    out.engine = fake_.traits.name;
    out.works = !fake_.broken;
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
  Result<std::unique_ptr<Capture>> open(const plan::Plan&, const CaptureOptions&) override {
    if (fake_.broken) return Unexpected(*fake_.broken);
    return std::unique_ptr<Capture>(new FakeCapture(fake_));
  }

 private:
  class Planner : public plan::Planner {
   public:
    explicit Planner(const Fake& fake) : fake_(fake) {}
    plan::Way plan(const plan::Wanted& wanted) override {
      plan::Way out;
      out.refused = fake_.not_planned.contains(wanted.function.name);
      if (out.refused) out.reason = "it is not planned";
      return out;
    }

   private:
    const Fake& fake_;
  };
  plan::Costs costs(bool measured) const {
    plan::Costs out(measured);
    out.set(fake_.traits.name, "anywhere", spec::ExitMode::kReturnProbe, {500, 500});
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
