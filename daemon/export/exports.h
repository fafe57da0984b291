// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "export/export.h"
#include "export/reports.h"

// How each format of export_types() is made.
namespace compmond::exporting {

MakeReport make_csv, make_chrome, make_speedscope, make_folded;

Result<void> write_csv(const snapshot::Snapshot& snapshot, Out& out);

// A field of CSV after RFC 4180.
std::string csv_field(std::string_view text);
// A name in a folded stack: a semicolon would end it, a line break the stack.
std::string folded_frame(const std::string& name);

}  // namespace compmond::exporting
