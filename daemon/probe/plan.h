// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "elf/code_scan.h"
#include "elf/image.h"
#include "probe/cost.h"
#include "spec/model.h"

// From a spec and the images of a target to what is to be attached: pure, no side effects on any
// process.
namespace compmond::probe {

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
  std::string pointer;  // JSON pointer of the pattern that asked for it

  bool paused = false;  // its probes are too dear at the moment and not attached (budget.h)
  bool refused = false;
  std::string reason;  // why refused; or, when attached, what a reader should know ("C++ can throw:
                       // ret-sites")

  ExitMode exit_mode = ExitMode::kReturnProbe;
  bool may_tail_call = true;  // may end in a jump to another function, with its return still open
  uint64_t vaddr = 0;
  uint64_t entry_offset = 0;  // file offset of the entry probe
  uint64_t moved_by = 0;      // bytes from the function's first instruction to the probe
  elf::SiteKind entry_site = elf::SiteKind::kStepped;
  std::vector<uint64_t> exit_offsets;  // file offsets, for kRetSites
};

// What an image of the plan is; the open file itself stays with the caller's elf::Image.
struct PlannedImage {
  std::shared_ptr<const elf::Image> image;
  std::string path;
  bool main = false;
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
};

// `candidates`: the target's images, the main executable first. A component's image selector picks
// among them. All of them count for the risk check. One that could not be read (image == nullptr)
// is named in messages only. Plan::images holds only opened ones. An operation that cannot be
// observed is in the plan as refused, with the reason. Errors (Exit::kData), all of them in one
// message: a pattern that matches nothing (with the nearest candidates) unless optional; an image
// that is not mapped (with those that are); two components claiming one address; too many
// operations.
Result<Plan> make_plan(const spec::Spec& spec, const std::vector<PlannedImage>& candidates,
                       const PlanOptions& options);

}  // namespace compmond::probe
