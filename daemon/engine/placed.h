// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace compmond::engine {

// Where probes are placed. `pid` 0: in every process that maps the image (the programs themselves
// count only targets); else in that process alone.
struct Scope {
  int image = 0;  // index in the plan's images
  pid_t pid = 0;
};

// Probes of some operations in one scope. They go away with it, which may take 0.1 s: when its
// destructor returns, none is at work any more.
class Placed {
 public:
  struct Refusal {
    size_t operation = 0;  // index in the plan
    std::string reason;
    bool later = false;  // the process does not map its image: it may, and then it can be placed
    bool whole = false;  // nothing can be placed in the process by this engine
  };
  explicit Placed(Scope scope, std::vector<Refusal> refused = {})
      : scope_(scope), refused_(std::move(refused)) {}
  virtual ~Placed() = default;
  Placed(const Placed&) = delete;
  Placed& operator=(const Placed&) = delete;

  // Takes it away before it is destroyed, in so many steps; `step_done` is called after each, by
  // any thread, also by several at a time. Without steps the destructor does it.
  virtual size_t steps() const { return 0; }
  virtual void take_away(const std::function<void()>& /*step_done*/) {}

  // It was there before, as a process is forked with what its parent has: no call was missed.
  virtual bool inherited() const { return false; }
  Scope scope() const { return scope_; }
  const std::vector<Refusal>& refused() const { return refused_; }

 protected:
  Scope scope_;
  std::vector<Refusal> refused_;
};

// Takes all of them away, some at the same time. `told` of the steps that are done, if it is there:
// by any thread, one at a time. Any thread.
using StepsDone = std::function<void(size_t done, size_t of)>;
void take_away(std::vector<std::unique_ptr<Placed>> placed, const StepsDone& told = {});

}  // namespace compmond::engine
