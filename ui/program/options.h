// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace compmond::ui {

struct Size {
  int width = 0, height = 0;  // design pixels
};

struct Options {
  std::string connect, token;
  int fd = -1;
  std::string view, select;  // empty: as remembered
  std::optional<bool> dark;  // likewise
  std::string keys;          // letters pressed before the first frame
  std::string screenshot;    // a file; then the program ends
  int frames = 0;            // drawn before it, beyond the first complete one
  std::optional<Size> size;  // none: as large as is usual, where there is room for it
};

// Flags of compmond-ui; nothing where help was printed and there is nothing to do. Exit::kUsage.
Result<Options> read_options(int argc, char** argv);

}  // namespace compmond::ui
