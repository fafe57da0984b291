// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
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
  // By pid and image those that are loaded by now, at the earliest since then; each once. Looks
  // every 20 ms, as long as that is 1 % of a CPU at most; who is gone is awaited no more.
  using Loads = std::map<std::pair<pid_t, int>, Awaited>;
  Loads look(uint64_t now_ns);
  // Whether no process was told to have loaded it before.
  bool is_first(int image) { return told_.insert(image).second; }

 private:
  const plan::Plan& plan_;
  Loads awaited_;
  std::set<int> told_;
  uint64_t looked_ns_ = 0, next_ns_ = 0;
};

}  // namespace compmond::run
