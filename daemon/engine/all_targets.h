// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/targets.h"

namespace compmond::engine {

// The lists of several engines as one. The first is the one that follows: it says who is observed,
// and what it cannot add is an error; what others cannot add they do without. Any thread.
class AllTargets : public Targets {
 public:
  struct List {
    std::string engine;
    Targets* targets = nullptr;  // outlives this
  };
  explicit AllTargets(std::vector<List> lists) : lists_(std::move(lists)) {}  // at least one

  Result<void> add(pid_t pid) override;
  void remove(pid_t pid) override;
  std::optional<uint64_t> since(pid_t pid) const override { return lists_[0].targets->since(pid); }
  std::vector<pid_t> all() const override { return lists_[0].targets->all(); }
  uint64_t without_place() const override { return lists_[0].targets->without_place(); }
  std::vector<TargetEnd> take_ends() override { return lists_[0].targets->take_ends(); }
  uint64_t untold_ends() const override { return lists_[0].targets->untold_ends(); }

  bool led_by(const std::string& engine) const { return lists_[0].engine == engine; }
  std::vector<std::string> notes() const;  // who does without whom, for people

 private:
  static constexpr size_t kNotes = 8;  // of which more are only counted

  std::vector<List> lists_;
  mutable std::mutex mutex_;  // guards what follows
  std::vector<std::string> notes_;
  size_t without_ = 0;
};

}  // namespace compmond::engine
