// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/out.h"
#include "snapshot/inside_report.h"

// The paths inside a part of a program, with the time at the end of each, for flame graphs.
namespace compmond::exporting {

// A stack per line and its ns; waiting is a frame of its own at the end.
void write_inside_folded(Out& out, const snapshot::Inside& inside);
// For speedscope: a profile of what was on a CPU, and one of waiting, if any was sampled. `name`:
// what was looked into.
void write_inside_speedscope(Out& out, const snapshot::Inside& inside, const std::string& name);

}  // namespace compmond::exporting
