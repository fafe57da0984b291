// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "elf/links.h"
#include "plan/planner.h"

// How the images of a target hang together: which needs which, and who defines what another one
// imports.
namespace compmond::uprobe {

// A function of one of the images.
struct Place {
  size_t image = 0;
  uint64_t vaddr = 0;
  auto operator<=>(const Place&) const = default;
};

// Whether code of it may throw, or catch, through functions of others (docs/decisions/0010); and
// that for people.
bool may_throw(const plan::Candidate& candidate);
std::string throws_through(const std::string& thrower);

// Reads what is asked for, once. One thread; borrows the candidates.
class LinkedImages {
 public:
  explicit LinkedImages(const std::vector<plan::Candidate>& candidates);

  // Which image may hand functions of `image` something to call that throws through them, and stand
  // above them to catch it (docs/decisions/0010); empty: none.
  std::string thrower_above(size_t image);

  // The import that the loader puts into a slot; null: none.
  const std::string* import_at(Place slot);
  // All that define `name`, whichever the loader takes. False in `known`: one of them is not
  // a function that can be read.
  struct Definitions {
    std::vector<Place> places;
    bool known = true;
  };
  const Definitions& definitions(std::string_view name);

 private:
  bool reaches(size_t from, size_t to);
  const std::vector<size_t>& needs(size_t image);

  const std::vector<plan::Candidate>& candidates_;
  std::vector<std::optional<std::vector<size_t>>> needs_;
  std::vector<std::optional<elf::Links>> links_;
  std::vector<std::optional<elf::Slots>> slots_;
  std::optional<std::vector<size_t>> throwers_;
  std::unordered_map<std::string_view, Definitions> definitions_;
};

}  // namespace compmond::uprobe
