// SPDX-License-Identifier: Apache-2.0
#include "diagrams/trace_timing.h"

#include <algorithm>

namespace compmond::diagrams {

using geometry::Axis;

namespace {

using Step = snapshot::OneTrace::Step;

// Rows per operation of the answer, in the order in which they first start.
std::vector<int> name_rows(const TraceSteps& trace, TraceTimingLayout& out) {
  std::vector<int> row_of(trace.operations.size(), -1);
  std::vector<uint64_t> first(trace.operations.size(), UINT64_MAX);
  for (const Step& step : trace.steps) {
    uint64_t& start = first[step.operation];
    if (start == UINT64_MAX) out.rows.push_back(step.operation);
    start = std::min(start, step.start_ns);
  }
  std::ranges::stable_sort(out.rows, {}, [&](uint32_t operation) { return first[operation]; });
  for (size_t row = 0; row < out.rows.size(); ++row) row_of[out.rows[row]] = int(row);
  return row_of;
}

// How many executions of the same operation are around each step: callers come before callees.
std::vector<int> depths(const std::vector<Step>& steps) {
  std::vector<int> out(steps.size(), 0);
  for (size_t i = 0; i < steps.size(); ++i)
    for (int32_t at = steps[i].caller; at >= 0; at = steps[size_t(at)].caller) {
      if (steps[size_t(at)].operation != steps[i].operation) continue;
      out[i] = out[size_t(at)] + 1;
      break;
    }
  return out;
}

// A caller does not wait for what goes on on another thread.
bool same_thread(const Step& a, const Step& b) { return a.pid == b.pid && a.tid == b.tid; }

// Joins narrow executions of a row as they come.
class Folder {
 public:
  Folder(size_t rows, TraceTimingLayout& out) : open_(rows, kNone), out_(out) {}
  void add(const Step& step, uint32_t index, int row, double x0, double x1) {
    size_t& open = open_[size_t(row)];
    if (open == kNone || x0 > out_.folds[open].x1 + 1) {
      open = out_.folds.size();
      out_.folds.push_back({row, x0, x1, 0, 0, 0, step.start_ns, step.end_ns, index, false});
    }
    TraceFold& fold = out_.folds[open];
    fold.x1 = std::max(fold.x1, x1);
    fold.end_ns = std::max(fold.end_ns, step.end_ns);
    ++fold.count;
    fold.raw_ns += step.end_ns - step.start_ns;
    fold.real_ns += step.net_real_ns();
    fold.failed |= step.failed;
  }

 private:
  static constexpr size_t kNone = size_t(-1);
  std::vector<size_t> open_;  // per row: in folds
  TraceTimingLayout& out_;
};

}  // namespace

TraceTimingLayout lay_out_trace_timing(const TraceSteps& trace, const Axis& axis,
                                       double narrow_px) {
  TraceTimingLayout out;
  const std::vector<Step>& steps = trace.steps;
  const std::vector<int> row_of = name_rows(trace, out), depth = depths(steps);
  Folder folder(out.rows.size(), out);
  std::vector<int64_t> bar_of(steps.size(), -1);
  const double end_px = axis.from_px + axis.length_px;
  std::vector<std::vector<TraceWait>> waits;  // per bar
  for (uint32_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    const double x0 = axis.px(step.start_ns), x1 = axis.px(step.end_ns);
    if (x1 < axis.from_px || x0 > end_px) continue;
    const int row = row_of[step.operation];
    const int64_t caller = step.caller < 0 ? -1 : bar_of[size_t(step.caller)];
    if (caller >= 0 && same_thread(step, steps[size_t(step.caller)]))
      waits[size_t(caller)].push_back({x0, x1});
    if (x1 - x0 < narrow_px) {
      folder.add(step, i, row, x0, std::max(x1, x0 + 1));
      continue;
    }
    bar_of[i] = int64_t(out.bars.size());
    out.bars.push_back({i, row, depth[i], x0, x1, 0, 0});
    waits.emplace_back();
    if (caller >= 0) out.calls.push_back({i, out.bars[size_t(caller)].row, row, x0});
  }
  for (size_t bar = 0; bar < out.bars.size(); ++bar) {
    out.bars[bar].first_wait = uint32_t(out.waits.size());
    out.bars[bar].waits = uint32_t(waits[bar].size());
    out.waits.insert(out.waits.end(), waits[bar].begin(), waits[bar].end());
  }
  return out;
}

TraceRows TraceRows::scaled(double by) const {
  return {height * by, bar * by, inset * by, thinnest * by};
}

geometry::Rect TraceRows::box(const TraceBar& at) const {
  const double half = bar / 2 - std::min(inset * at.depth, (bar - thinnest) / 2);
  const double middle = top(size_t(at.row)) + height / 2;
  return {at.x0, middle - half, at.x1, middle + half};
}

geometry::Rect TraceRows::box(const TraceFold& at) const {
  const double half = 0.3 * bar, middle = top(size_t(at.row)) + height / 2;
  return {at.x0, middle - half, std::max(at.x1, at.x0 + 1), middle + half};
}

TraceRows::Ends TraceRows::ends(const TraceCall& call) const {
  const double edge = call.to > call.from ? bar / 2 : -bar / 2;
  return {top(size_t(call.from)) + height / 2 + edge, top(size_t(call.to)) + height / 2 - edge};
}

}  // namespace compmond::diagrams
