// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "diagrams/call_tree.h"
#include "protocol/inside_report.h"

// What is drawn of the report "inside": rows of a table, and the tree behind a flame graph. Pure.
namespace compmond::ui {

// Which of the times count.
enum class InsideTime { kBoth, kCpu, kWaiting };
snapshot::TimeOf time_of(InsideTime time);

// What a row is: a function, or all functions of a file, or of one kind.
enum class InsideBy { kFunction, kFile, kWhose };

struct InsideRow {
  std::string name, image;  // image: its path; empty where a row has no file, or several
  Word<snapshot::Whose> whose;
  snapshot::Estimated own, total;  // the total of several functions is without interval
  size_t functions = 0;
  std::string key;  // the same in every answer
};

// What the row is called that a function belongs to.
std::string row_key(const snapshot::Inside::Function& function, InsideBy by);
// "own code", "kernel".
const char* whose_text(snapshot::Whose whose);

// Those with samples, of which the report has the most own time first.
std::vector<InsideRow> inside_rows(const snapshot::Inside& inside, InsideBy by);

enum class InsideColumn { kName, kOwn, kShare, kCpu, kWaiting, kTotal, kSamples, kFile };
struct InsideOrder {
  InsideColumn column = InsideColumn::kOwn;
  bool descending = true;
  bool operator==(const InsideOrder&) const = default;
};
// Equal ones stay as they are.
void sort_rows(std::vector<InsideRow>& rows, const InsideOrder& order, InsideTime time);

// Callees or callers of the part as a call tree: a function is an operation with its file in place
// of a component, raw_ns the time that counts with all below, real_ns its own, count the samples.
// Nodes and operations are numbered as nodes and functions of the report.
diagrams::CallTree inside_tree(const snapshot::Inside& inside, bool callers, InsideTime time);

}  // namespace compmond::ui
