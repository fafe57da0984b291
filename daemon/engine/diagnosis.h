// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "plan/cost.h"

namespace compmond::engine {

enum class Verdict {
  kGood,
  kNote,  // it works without
  kBad,
};

// One thing that was looked at, in words for people.
struct Finding {
  Verdict verdict = Verdict::kGood;
  std::string what, finding;
  std::string remedy = {};  // empty: none is needed
  bool operator==(const Finding&) const = default;
};

// How an engine fares on this machine.
struct Diagnosis {
  std::string engine;  // its name
  std::vector<Finding> findings;
  bool calls = true;                  // each call is seen; else it only takes samples
  bool alone = true;                  // needs no other engine, that tells who comes and goes
  Exit outcome = Exit::kUnavailable;  // kOk: it works; else as of Engine::calibrate
  bool works() const { return outcome == Exit::kOk; }
  plan::Costs costs;               // measured, where it works and sees calls
  std::vector<std::string> sites;  // kinds of places that `costs` knows, as they are to be listed
};

}  // namespace compmond::engine
