// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "base/fresh_file.h"
#include "base/result.h"
#include "guard/channel.h"

namespace compmond::guard {

// Removes names in folders when it goes, with the right to that compmond had at its start; also
// when compmond is killed. A process of its own does it. Move-only.
class Remover {
 public:
  struct Name {
    FilePlace place;
    ino_t inode = 0;  // another file that has the name by then stays
  };
  static Result<Remover> start(const std::vector<Name>& names);

 private:
  explicit Remover(Child child) : child_(std::move(child)) {}
  Child child_;
};

}  // namespace compmond::guard
