// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "protocol/view_request.h"

namespace compmond::front {

// Who may look, and at what.
struct ServeOptions {
  bool headless = false;   // no screen of our own
  bool ui = false;         // a screen, or an error
  bool keep = false;       // the run outlives its screen
  std::string listen;      // address, beside the socket in the run folder; empty: none
  std::string token_file;  // what clients over TCP have to know
};

// In which part's functions the time goes, shown when the run has ended.
struct InsideOptions {
  std::string name;             // component or operation; empty: of none
  std::string folded_path;      // its paths as folded stacks; empty: nowhere
  std::string speedscope_path;  // likewise, for speedscope
};

// How a run is shown.
struct Options {
  ServeOptions serve;
  bool always_serve = true;     // else only where there is a screen, --listen or --keep
  bool stay_with_keep = false;  // --keep: also when the run has ended, screen or not
  double duration_s = 0;        // 0: until a signal or the run's end
  double window_s = 0;          // of the figures; 0: the whole run
  double refresh_s = 0.5;       // of the live table
  std::string metric;           // empty: the first
  snapshot::HeatWish heat;      // what hotness 100 is
  std::string baseline_path;    // of a saved snapshot that deviations are from; empty: none
  std::string snapshot_path;    // "-": stdout; empty: none
  InsideOptions inside;
};

}  // namespace compmond::front
