// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
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

// What an engine in memory (fake_engine.h) observes with: nothing but what a test puts in.
namespace compmond::engine::test {

// What one is to do, and what it did; outlives it. Probes may go away on another thread.
class Fake : public Targets {
 public:
  explicit Fake(const std::string& name, bool follows = true) {
    traits.name = name;
    traits.follows = follows;
  }

  Traits traits;
  std::set<std::string> not_planned;         // symbols
  std::optional<Error> broken;               // what calibrate() and open() say
  std::string forced, attach = "in memory";  // the word that attach_by() had, and its own
  // Operations that it refuses to place, in a process or (0) anywhere, and why.
  std::map<std::pair<pid_t, size_t>, std::string> refuses;
  bool refuses_wholly = false;        // as of whole processes
  bool refuses_until_loaded = false;  // so much of these as the process does not map by now
  pipeline::test::ListSource events;
  std::vector<Recording> recordings;
  bool harms_strangers = false, by_process = false;
  double cost_ns = 1000;         // of a call
  bool full = false;             // nothing more can be placed
  std::set<pid_t> gone, hidden;  // processes that cannot be added
  CaptureOptions opened_with;
  std::optional<Inputs> inputs;  // what the targets read so far; none: it is not counted
  bool would_change = false;     // how that is counted
  int switched_on = 0;           // times that counting was

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
    if (hidden.contains(pid)) return fail(Exit::kNoPermission, "its memory is not for us", "");
    targets_.insert(pid);
    return {};
  }
  void remove(pid_t pid) override { targets_.erase(pid); }
  std::optional<uint64_t> since(pid_t pid) const override {
    return targets_.contains(pid) ? std::optional(uint64_t(pid)) : std::nullopt;
  }
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
      const pid_t where = fake.refuses.contains({scope.pid, i}) ? scope.pid : 0;
      const auto refusal = fake.refuses.find({where, i});
      if (refusal == fake.refuses.end())
        fake.put(scope.pid, i), operations_.push_back(i);
      else
        refused_.push_back({i, refusal->second, fake.refuses_until_loaded, fake.refuses_wholly});
    }
  }
  ~FakePlaced() override {
    FakePlaced::take_away([] {});
  }
  size_t steps() const override { return operations_.size(); }
  void take_away(const std::function<void()>& step_done) override {
    for (const size_t i : operations_) {
      fake_.take(scope().pid, i);
      step_done();
    }
    operations_.clear();
  }

 private:
  Fake& fake_;
  std::vector<size_t> operations_;
};

class FakeCounting : public InputCounting {
 public:
  explicit FakeCounting(Fake& fake) : fake_(fake) {}
  Result<void> on() override {
    ++fake_.switched_on;
    return {};
  }
  void off() override {}
  bool would_change() const override { return fake_.would_change; }
  Inputs read() const override { return *fake_.inputs; }

 private:
  Fake& fake_;
};

class FakeCapture : public Capture {
 public:
  explicit FakeCapture(Fake& fake) : fake_(fake) {}
  Result<std::unique_ptr<Placed>> place(const plan::Plan&, const plan::OperationStates&,
                                        Scope scope, std::span<const size_t> operations,
                                        plan::See) override {
    if (fake_.gone.contains(scope.pid)) return fail(Exit::kNoInput, "cannot place it", "");
    if (fake_.full) return fail(Exit::kUnavailable, "cannot place it", "there are too many");
    return std::unique_ptr<Placed>(new FakePlaced(fake_, scope, operations));
  }
  bool harms_strangers(const plan::Way&) const override { return fake_.harms_strangers; }
  bool by_process(const plan::Way&) const override { return fake_.by_process; }
  record::EventSource& events() override { return fake_.events; }
  void record(Recording recording) override { fake_.recordings.push_back(recording); }
  Targets* targets() override { return fake_.traits.follows ? &fake_ : nullptr; }
  Result<std::unique_ptr<InputCounting>> count_inputs() override {
    return fake_.inputs ? std::make_unique<FakeCounting>(fake_) : nullptr;
  }
  std::string attach() const override { return fake_.attach; }

 private:
  Fake& fake_;
};

}  // namespace compmond::engine::test
