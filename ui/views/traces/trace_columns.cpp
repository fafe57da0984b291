// SPDX-License-Identifier: Apache-2.0
#include "ui/views/traces/trace_columns.h"

#include <fmt/format.h>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/model/run_time.h"

namespace compmond::ui {
namespace {

using snapshot::Sort;
using snapshot::TraceRow;
using Class = snapshot::Classes::Row;

std::string began(const TraceRow& row, const Model& model) {
  return moment_text(model, row.start_ns, 1e6);
}
std::string lasted(const TraceRow& row, const Model&) {
  return text::duration(double(row.end_ns - row.start_ns));
}
std::string executions(const TraceRow& row, const Model&) { return text::count(row.executions); }
std::string depth(const TraceRow& row, const Model&) { return text::count(row.max_depth); }
std::string class_number(const TraceRow& row, const Model&) {
  return text::count(row.class_number);
}
std::string session(const TraceRow& row, const Model&) { return text::clean(row.session); }
std::string thread(const TraceRow& row, const Model&) {
  return row.threads > 1 ? fmt::format("{} threads", row.threads) : fmt::to_string(row.tid);
}
std::string number(const TraceRow& row, const Model&) { return fmt::to_string(row.id); }

constexpr TraceColumn kTraces[] = {
    {{"began", 92, 90, CellLook::kQuiet, "When its first execution began, since the run's start."},
     Sort::kStart,
     began},
    {{"duration", 170, 100, CellLook::kBar, "From its first execution's start to the last end."},
     Sort::kDuration,
     lasted},
    {{"executions", 84, 80, CellLook::kStrong, "All that it called, with itself."},
     Sort::kExecutions,
     executions},
    {{"depth", 56, 40, CellLook::kQuiet, "How deeply its calls are nested, from 0."},
     Sort::kDepth,
     depth},
    {{"class", 58, 60, CellLook::kQuiet, "Traces with the same control flow are of one class."},
     Sort::kClass,
     class_number},
    {{"session", 120, 85, CellLook::kCut, "As an argument of its first execution says."},
     {},
     session},
    {{"thread", 92, 30, CellLook::kQuiet,
      "The thread that it ran on, or how many it was joined from."},
     {},
     thread},
    {{"trace", 76, 20, CellLook::kQuiet, "Its number, the same in Timing."}, {}, number},
};

std::string time(uint64_t ns) { return text::duration(double(ns)); }

constexpr ClassColumn kClasses[] = {
    {{"class", 58, 90, CellLook::kQuiet, "It keeps its number throughout the run."},
     [](const Class& row) -> uint64_t { return row.number; },
     text::count},
    {{"traces", 130, 100, CellLook::kBar, "Traces of this window with this control flow."},
     [](const Class& row) { return row.cardinality; },
     text::count},
    {{"executions", 84, 60, CellLook::kQuiet, "In each of its traces."},
     [](const Class& row) -> uint64_t { return row.executions; },
     text::count},
    {{"depth", 56, 20, CellLook::kQuiet, "How deeply its calls are nested, from 0."},
     [](const Class& row) -> uint64_t { return row.max_depth; },
     text::count},
    {{"min", 78, 50, CellLook::kQuiet, "Its shortest trace."},
     [](const Class& row) { return row.min_ns; },
     time},
    {{"mean", 78, 80, CellLook::kStrong, "The mean duration of its traces."},
     [](const Class& row) { return row.mean_ns; },
     time},
    {{"max", 78, 70, CellLook::kQuiet, "Its longest trace."},
     [](const Class& row) { return row.max_ns; },
     time},
};

static_assert(kTraces[kNewestFirst.column].sort == Sort::kStart);
static_assert(kClasses[kLargestFirst.column].look == CellLook::kBar);

}  // namespace

std::span<const TraceColumn> trace_columns() { return kTraces; }
std::span<const ClassColumn> class_columns() { return kClasses; }

}  // namespace compmond::ui
