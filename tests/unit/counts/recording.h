// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "counts/counts.h"

// Slices of a real load, as recorded: data/README.md.
namespace compmond::counts::recordings {

struct Recording {
  std::vector<std::string> names;  // of items
  std::vector<Slice> slices;
  RunInputs inputs;
  std::vector<Caller> callers;
  std::map<std::string, double> truth;  // by name of an item: calls in the run
};

// Of tests/unit/counts/data.
Recording read(const std::string& file);

}  // namespace compmond::counts::recordings
