// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "engine/placed.h"
#include "plan/plan.h"

namespace compmond::run {

// Processes that may map images later (dlopen): where probes are written into their memory there is
// nothing to write into before. One thread.
class LaterLoads {
 public:
  explicit LaterLoads(const plan::Plan& plan) : plan_(plan) {}  // borrowed

  using Ways = std::map<size_t, size_t>;  // of operations, those by which they could be seen then
  struct Awaited {
    uint64_t since_ns = 0;
    Ways ways;
  };
  void await(engine::Scope scope, size_t operation, size_t way, uint64_t now_ns);
  // Those of an image that nobody had loaded when all that is observed was placed, and that go on
  // by another way until somebody has.
  void fell(int image, size_t operation, size_t way) { fell_[image][operation] = way; }
  // A process came, which may.
  void await_those_that_fell(pid_t pid, uint64_t now_ns);
  void changed_over(int image, size_t operation) { fell_[image].erase(operation); }
  // By pid and image those that are loaded by now, at the earliest since then; each once. Looks
  // every 20 ms at most, and no more than 1 % of the time; who is gone is awaited no more.
  using Loads = std::map<std::pair<pid_t, int>, Awaited>;
  Loads look(uint64_t now_ns, const std::function<bool(pid_t)>& lives);
  bool awaits(int image, size_t operation) const;
  // Whether no process was told to have loaded it before.
  bool is_first(int image) { return told_.insert(image).second; }

 private:
  const plan::Plan& plan_;
  Loads awaited_;
  std::map<int, Ways> fell_;
  std::set<int> told_;
  uint64_t looked_ns_ = 0, next_ns_ = 0;
};

}  // namespace compmond::run
