// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/clock.h"
#include "serve/answers.h"

namespace compmond::serve {

// Answers whatever it is asked, with as much and as slowly as a test wants.
struct FakeAnswers : Answers {
  snapshot::Hello hello() override {
    snapshot::Hello out;
    out.version = "test";
    return out;
  }
  Result<snapshot::View> view(const snapshot::ViewRequest& request) override {
    const uint64_t begin = monotonic_ns();
    ++views;
    if (request.metric == "none") return fail(Exit::kData, "cannot answer", "there is no metric");
    snapshot::View out;
    out.id = request.id;
    out.details.emplace().component = std::string(bytes, 'x');
    while (monotonic_ns() < begin + busy_ns) {
    }
    spent_ns += monotonic_ns() - begin;
    return out;
  }
  Result<std::string> control(const snapshot::ControlRequest& request) override {
    ++controls;
    if (request.action != snapshot::Action::kStop)
      return fail(Exit::kData, "cannot do this", "there is no such action");
    return "done";
  }

  size_t views = 0, controls = 0, bytes = 0;
  uint64_t busy_ns = 0, spent_ns = 0;
};

}  // namespace compmond::serve
