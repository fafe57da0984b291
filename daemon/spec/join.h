// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "spec/model.h"

namespace compmond::spec {

// One of several specs of a run, and the main executable of its processes, as they see it.
struct Part {
  Spec spec;
  std::string exe;
};

// One spec about several programs: what each says stands below a component with the spec's name,
// whose image is that program, connections included. It is named after all of them ("shop + bank"),
// and its text says the same as JSON, so that a log keeps it. Places in messages stay those of the
// files. Exit::kData where two have the same name, or one that no component can have, and where
// they are too large together.
Result<Spec> joined(const std::vector<Part>& parts);

}  // namespace compmond::spec
