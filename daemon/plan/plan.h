// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "code/scan.h"
#include "elf/image.h"
#include "plan/cost.h"
#include "spec/model.h"

// From a spec and the images of a target to what is to be attached: pure, no side effects on any
// process.
namespace compmond::plan {

// A probe at an instruction that leaves a function.
struct PlannedExit {
  uint64_t offset = 0;                         // in the file
  int8_t condition = code::ExitSite::kAlways;  // as there
};

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
  bool landmark = false;
  std::vector<spec::Context> contexts;
  std::string pointer;  // JSON pointer of the pattern that asked for it

  bool paused = false;  // its probes are too dear at the moment and not attached (budget.h)
  bool alone = false;   // its probes hang apart from all others, to come and go without them
  // CLOCK_MONOTONIC: when it was paused first, and when it last came back (UINT64_MAX: paused now).
  uint64_t away_since_ns = 0, away_until_ns = 0;
  bool refused = false;
  std::string reason;  // why refused; or, when attached, what a reader should know ("C++ can throw:
                       // ret-sites")

  ExitMode exit_mode = ExitMode::kReturnProbe;
  bool may_tail_call = true;  // may end in a jump to another function, with its return still open
  uint64_t vaddr = 0;
  uint64_t entry_offset = 0;  // file offset of the entry probe
  uint64_t moved_by = 0;      // bytes from the function's first instruction to the probe
  code::SiteKind entry_site = code::SiteKind::kStepped;
  std::vector<PlannedExit> exits;  // for kRetSites
};

// A file that operations may live in, read.
struct Candidate {
  std::shared_ptr<const elf::Image> image;  // null: it could not be read
  std::string path;
  bool main = false;
};

// A file that operations live in.
struct PlannedImage {
  size_t candidate = 0;  // index in make_plan's candidates
  std::string path;
  bool main = false;
  // Of who opened it, for attaching; a plan fresh from make_plan has none.
  std::shared_ptr<const Fd> file;
  uint64_t device = 0, inode = 0;  // as stat has them
};

struct Plan {
  std::vector<PlannedImage> images;
  std::vector<PlannedOperation> operations;  // attached and refused ones
  size_t attachable() const;
};

struct PlanOptions {
  spec::ExitMode exit_mode = spec::ExitMode::kAuto;  // --exit-mode: overrides every "auto"
  bool many = false;                                 // --many: more than limits::kOperations
  bool move_probes = true;  // cost-aware placement (off only for tests and comparisons)
  std::function<void(size_t candidate)> looks_at = {};  // told before a file is searched or decoded
};

// `candidates`: the target's images, the main executable first. A component's image selector picks
// among them. All of them count for the risk check. One that could not be read (image == nullptr)
// is named in messages only. Plan::images holds those with operations. An operation that cannot be
// observed is in the plan as refused, with the reason. Errors (Exit::kData), all of them in one
// message: a pattern that matches nothing (with the nearest candidates) unless optional; an image
// that is not mapped (with those that are); two components claiming one address; too many
// operations.
Result<Plan> make_plan(const spec::Spec& spec, const std::vector<Candidate>& candidates,
                       const PlanOptions& options);

}  // namespace compmond::plan
