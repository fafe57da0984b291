// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "export/export.h"
#include "export/reports.h"

// How each format of export_types() is made.
namespace compmond::exporting {

MakeReport make_csv, make_chrome, make_speedscope, make_folded;

Result<void> write_csv(const snapshot::Snapshot& snapshot, Out& out);

}  // namespace compmond::exporting
