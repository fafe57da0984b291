// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "spec/model.h"

namespace compmond::spec {

// Parses and validates a spec. Errors (Exit::kData) name the place by JSON pointer and line, the
// reason, and what to do; an unknown key names the nearest known one. `path` only labels messages.
// Never throws; bounded by limits.h.
Result<Spec> parse(std::string_view json, const std::string& path);

// Reads and parses the file. When running as root the file must not be writable by others than root
// or the invoking user's own (a spec decides what root attaches to).
Result<Spec> load(const std::string& path);

}  // namespace compmond::spec
