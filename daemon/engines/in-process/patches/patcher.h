// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "elf/image.h"
#include "patches/code_map.h"
#include "patches/ledger.h"
#include "patches/patch.h"

namespace compmond::inprocess {

// Finds where functions of one image can be patched, one after the other: each keeps clear of those
// before it. Pure; not thread-safe. `image` must outlive it.
class Patcher {
 public:
  explicit Patcher(const elf::Image& image);
  // Of a function that was asked for before: "other patches have its bytes".
  FunctionPatches plan(const elf::Symbol& function, const Asked& asked = {});

 private:
  CodeMap map_;
  Ledger ledger_;
};

}  // namespace compmond::inprocess
