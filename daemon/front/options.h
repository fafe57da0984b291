// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace compmond::front {

// Who may look, and at what.
struct ServeOptions {
  bool headless = false;   // no window of our own
  bool ui = false;         // a window, or an error
  bool keep = false;       // the run outlives its window
  std::string listen;      // address, beside the socket in the run folder; empty: none
  std::string token_file;  // what clients over TCP have to know
};

}  // namespace compmond::front
