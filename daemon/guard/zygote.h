// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "base/fd.h"
#include "base/result.h"
#include "guard/channel.h"
#include "guard/confined.h"

namespace compmond::guard {

// Makes confined children that serve requests for as long as compmond runs, one at a time, also
// when compmond itself has threads and may fork no more: a process that was forked at the start,
// without rights, does nothing but fork them. Move-only; all end with the object, or with compmond.
class Zygote {
 public:
  using Serve = std::function<void(const Fd& channel)>;
  // `serve` runs in each child until its channel ends; beside that it has only the memory that this
  // process has now. Of `limits` memory and CPU time count. Before any thread. Exit::kUnavailable.
  static Result<Zygote> start(const std::string& name, const Serve& serve,
                              const ConfinedLimits& limits);

  struct Made {
    Fd channel;  // a stream socket; empty when there can be no child
    std::string
        before;  // how the child before ended, if there was one: "was killed by SIGSEGV (…)"
  };
  // Ends the child that there is, and makes another. Waits for some seconds at most.
  Made next();

 private:
  explicit Zygote(Child maker) : maker_(std::move(maker)) {}
  Child maker_;
  bool lost_ = false;  // it did not answer, or could make none
};

}  // namespace compmond::guard
