// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "base/transfer.h"
#include "plan/planner.h"
#include "plan/way.h"
#include "spec/model.h"

// From a spec and the images of a target to what is to be attached: pure, no side effects on any
// process.
namespace compmond::plan {

// One observed function. Its index in Plan::operations is its operation id everywhere behind the
// plan.
struct PlannedOperation {
  int component = 0;   // index in the spec's components
  std::string name;    // what people read: the spec's name, else the demangled name without
                       // parameters if unique
  std::string symbol;  // raw symbol name
  std::string demangled;
  int image = -1;  // index in Plan::images, -1 when unresolved
  spec::Interface interface = spec::Interface::kIn;
  double slo_ms = 0;  // 0: none
  bool landmark = false, waiting = false;
  std::vector<spec::Context> contexts;
  std::string pointer;  // JSON pointer of the pattern that asked for it

  uint64_t vaddr = 0;
  std::string note;  // what a reader of its counts should know, whoever counts
  std::vector<Way>
      ways;  // how each engine would observe it, in the order of their trial; never none. What an
             // engine would do where its first way is not safe any more comes behind that one
};

// A function by which observed ones may be left without a return (exceptions, longjmp): no
// operation of anybody's. Its index in Plan::transfers is the `op` of transfer events.
struct PlannedTransfer {
  Transfer kind = Transfer::kThrow;
  int image = -1;  // index in Plan::images
  std::string symbol;
  std::vector<Way> ways;  // of each engine, as of an operation that is only counted
};

// A file that operations, or transfers, live in.
struct PlannedImage {
  size_t candidate = 0;  // index in make_plan's candidates
  std::string path;
  bool main = false;
  // Of who opened it, for attaching; a plan fresh from make_plan has none.
  std::shared_ptr<const Fd> file;
  uint64_t device = 0, inode = 0;  // as stat has them
};

// What is to be observed, and how it could be. Does not change once it is made and its files are
// there; what becomes of its operations is beside it (states.h).
struct Plan {
  std::vector<PlannedImage> images;
  std::vector<PlannedOperation> operations;  // also those that no engine can observe
  std::vector<PlannedTransfer> transfers;    // likewise
};

struct PlanOptions {
  spec::ExitMode exit_mode = spec::ExitMode::kAuto;  // --exit-mode: overrides every "auto"
  bool many = false;                                 // --many: more than limits::kOperations
  bool move_probes = true;  // cost-aware placement (off only for tests and comparisons)
  std::vector<PlannerOf> planners = {};   // of the engines, in the order of their trial
  std::vector<std::string> engines = {};  // that a spec may ask for; empty: any
  bool have(const std::string& engine) const {
    return engine.empty() || engines.empty() || std::ranges::count(engines, engine) > 0;
  }
  std::function<void(size_t candidate)> looks_at = {};  // told before a file is searched or decoded
};

// `candidates`: the target's images, the main executable first. A component's image selector picks
// among them. All of them count for the risk check. One that could not be read (image == nullptr)
// is named in messages only. Plan::images holds those with operations or transfers. An operation
// that cannot be observed has ways that are refused, with their reasons. Errors (Exit::kData), all
// of them in one message: a pattern that matches nothing (with the nearest candidates) unless
// optional; an image that is not mapped (with those that are); two components claiming one address;
// too many operations.
Result<Plan> make_plan(const spec::Spec& spec, const std::vector<Candidate>& candidates,
                       const PlanOptions& options);

}  // namespace compmond::plan
