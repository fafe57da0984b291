// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "snapshot/snapshot.h"
#include "ui/program/screen.h"

namespace compmond::ui {

// Where a snapshot or picture made now goes: "compmond-<spec>-<date>-<time><ending>" in the current
// folder, or at home where that cannot be written.
std::string output_path(const std::string& spec_name, const std::string& ending);

Result<void> write_snapshot(const std::string& path, const snapshot::Snapshot& snapshot);
Result<void> write_png(const std::string& path, const Screen::Picture& picture);

}  // namespace compmond::ui
