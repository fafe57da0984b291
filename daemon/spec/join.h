// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "spec/model.h"

namespace compmond::spec {

// One spec about several programs, the i-th about program i: what each says stands below a
// component with the spec's name, connections included. It is named after all of them
// ("shop + bank"), and its text says the same as JSON, so that a log keeps it. Places in messages
// stay those of the files. Exit::kData where two have the same name, or one that no component can
// have, and where they are too large together.
Result<Spec> joined(const std::vector<Spec>& parts);

}  // namespace compmond::spec
