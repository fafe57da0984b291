// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace compmond::cli {

// Parses the command line and runs what it asks for; returns the exit code (sysexits, see
// base/result.h).
int run_program(int argc, char** argv);

}  // namespace compmond::cli
