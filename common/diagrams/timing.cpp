// SPDX-License-Identifier: Apache-2.0
#include "diagrams/timing.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "diagrams/timing_lanes.h"
#include "diagrams/timing_nesting.h"

namespace compmond::diagrams {
namespace {

constexpr double kLaneGap = 3;
constexpr double kMinLane = 4;    // below, lanes are no longer told apart
constexpr double kInset = 4;      // of an execution inside one of the same component
constexpr int kMaxInset = 3;      // deeper ones stand no further in
constexpr double kWaitGapPx = 1;  // waiting parts closer than this become one

class Builder {
 public:
  explicit Builder(const TimingInput& in)
      : in_(in),
        items_(nested_items(in.view)),
        lanes_(assign_lanes(items_, in.column_of, in.columns.size(), in.thread)),
        bar_of_(items_.size(), -1) {}

  TimingLayout build() {
    out_.lanes = lanes_.lanes;
    for (size_t i = 0; i < items_.size(); ++i)
      if (lanes_.places[i].lane >= 0 && in_sight(items_[i])) add(i);
    for (auto& [lane, fold] : open_folds_) close(fold);
    add_waits();
    if (in_.arrows) add_arrows();
    return std::move(out_);
  }

 private:
  struct Sides {
    double x0, x1;
  };

  bool in_sight(const TimingItem& item) const {
    return item.end_ns >= in_.axis.start_ns && item.start_ns <= in_.axis.end_ns;
  }

  int column(const TimingItem& item) const { return in_.column_of[item.operation]; }

  Sides sides(size_t i) {
    const int c = column(items_[i]);
    const TimingColumn& room = in_.columns[size_t(c)];
    const double width = room.x1 - room.x0;
    const int most = std::max(1, int((width + kLaneGap) / (kMinLane + kLaneGap)));
    const int lanes = std::min(lanes_.lanes[size_t(c)], most);
    const int lane = std::min(lanes_.places[i].lane, lanes - 1);
    out_.crowded += lane < lanes_.places[i].lane;
    const double bar = std::clamp((width + kLaneGap) / lanes - kLaneGap, 1.0, in_.bar_width);
    const double left = (room.x0 + room.x1 - lanes * (bar + kLaneGap) + kLaneGap) / 2;
    const double inset =
        std::min(kInset, bar / (kMaxInset + 2)) * std::min(lanes_.places[i].depth, kMaxInset);
    const double x0 = left + lane * (bar + kLaneGap);
    return {x0 + inset, x0 + bar};
  }

  void add(size_t i) {
    const TimingItem& item = items_[i];
    const double y0 = in_.axis.px(item.start_ns), y1 = in_.axis.px(item.end_ns);
    const Sides x = sides(i);
    if (!item.is_fold && y1 - y0 >= kFoldPx) {
      bar_of_[i] = int64_t(out_.bars.size());
      out_.bars.push_back({item.index, column(item), lanes_.places[i].lane, lanes_.places[i].depth,
                           x.x0, x.x1, y0, y1, 0, 0, y_missed(item)});
      return;
    }
    TimingFold fold = fold_of(item);
    fold.lane = lanes_.places[i].lane;
    fold.x0 = x.x0, fold.x1 = x.x1, fold.y0 = y0, fold.y1 = y1;
    // Neighbours within the height of a bar become one.
    const auto [open, is_new] =
        open_folds_.try_emplace({fold.column, fold.lane, lanes_.places[i].depth}, fold);
    if (is_new) return;
    TimingFold& last = open->second;
    if (y1 > last.y0 + kFoldPx || y0 < last.y0) {
      close(last);
      last = fold;
    } else {
      join(last, fold);
    }
  }

  std::optional<double> y_missed(const TimingItem& item) const {
    const auto& objective = in_.view.operations[item.operation].objective_ns;
    if (!objective || item.end_ns <= item.start_ns || item.end_ns - item.start_ns <= *objective)
      return std::nullopt;
    return in_.axis.px(item.start_ns + *objective);
  }

  TimingFold fold_of(const TimingItem& item) const {
    TimingFold fold;
    fold.column = column(item);
    fold.operation = item.operation;
    fold.start_ns = item.start_ns, fold.end_ns = item.end_ns;
    fold.raw_ns = item.raw_ns;
    if (item.is_fold) {
      fold.count = in_.view.folds[item.index].count;
      fold.real_ns = in_.view.folds[item.index].real_ns;
      fold.violations = in_.view.folds[item.index].violations;
      return fold;
    }
    const auto& execution = in_.view.executions[item.index];
    fold.count = 1;
    fold.real_ns = execution.real_ns;
    fold.execution = item.index;
    fold.violations = y_missed(item) ? 1 : 0;
    fold.uncertain = execution.closed != snapshot::Ending::kReturned &&
                     execution.closed != snapshot::Ending::kOpen;
    return fold;
  }

  // Its time is compared with the height that it is drawn in: a moment is no solid bar.
  void close(TimingFold fold) {
    fold.y1 = std::max(fold.y1, fold.y0 + kLeastFoldPx);
    const double ns = (fold.y1 - fold.y0) * in_.axis.ns_per_px();
    fold.utilisation = ns > 0 ? std::min(1.0, double(fold.raw_ns) / ns) : 0;
    out_.folds.push_back(fold);
  }

  static void join(TimingFold& into, const TimingFold& fold) {
    into.y1 = std::max(into.y1, fold.y1);
    into.end_ns = std::max(into.end_ns, fold.end_ns);
    into.count += fold.count;
    into.raw_ns += fold.raw_ns;
    into.real_ns += fold.real_ns;
    into.execution = -1;
    into.one_operation &= into.operation == fold.operation;
    into.uncertain |= fold.uncertain;
    into.violations += fold.violations;
  }

  // Items are in order of start within a thread, so the parts of one bar come in order too.
  void add_waits() {
    struct Part {
      int64_t bar;
      TimingWait wait;
    };
    std::vector<Part> parts;
    for (const TimingItem& item : items_) {
      const int64_t bar = item.parent < 0 ? -1 : bar_of_[size_t(item.parent)];
      if (bar < 0 || !in_sight(item) || item.end_ns == item.start_ns) continue;
      const double share = double(item.raw_ns) / double(item.end_ns - item.start_ns);
      parts.push_back(
          {bar, {in_.axis.px(item.start_ns), in_.axis.px(item.end_ns), std::min(1.0, share)}});
    }
    std::stable_sort(parts.begin(), parts.end(),
                     [](const Part& a, const Part& b) { return a.bar < b.bar; });
    for (const auto& [bar_index, wait] : parts) {
      TimingBar& bar = out_.bars[size_t(bar_index)];
      if (bar.waits == 0) bar.first_wait = uint32_t(out_.waits.size());
      TimingWait* last = bar.waits > 0 ? &out_.waits.back() : nullptr;
      if (!last || wait.y0 - last->y1 >= kWaitGapPx) {
        out_.waits.push_back(wait);
        ++bar.waits;
        continue;
      }
      const double waited = (last->y1 - last->y0) * last->share + (wait.y1 - wait.y0) * wait.share;
      last->y1 = std::max(last->y1, wait.y1);
      last->share = std::min(1.0, waited / std::max(last->y1 - last->y0, 1e-9));
    }
  }

  void add_arrows() {
    // At most one arrow each way between two lanes in the height of a bar.
    std::map<std::tuple<int, int, int, int, bool>, double> last;
    const auto add_arrow = [&](int64_t from, int64_t to, double y, bool returns) {
      const TimingBar &a = out_.bars[size_t(from)], &b = out_.bars[size_t(to)];
      const auto [at, is_new] = last.try_emplace({a.column, a.lane, b.column, b.lane, returns}, y);
      if (!is_new && y - at->second < kFoldPx && y >= at->second) return;
      at->second = y;
      const bool right = b.x0 >= a.x0;
      out_.arrows.push_back(
          {uint32_t(from), uint32_t(to), y, right ? a.x1 : a.x0, right ? b.x0 : b.x1, returns});
    };
    for (size_t i = 0; i < items_.size(); ++i) {
      const TimingItem& item = items_[i];
      const int64_t callee = bar_of_[i];
      const int64_t caller = item.parent < 0 ? -1 : bar_of_[size_t(item.parent)];
      if (callee < 0 || caller < 0) continue;
      const TimingBar &from = out_.bars[size_t(caller)], &to = out_.bars[size_t(callee)];
      if (from.column == to.column) continue;
      add_arrow(caller, callee, to.y0, false);
      if (in_.view.executions[item.index].closed == snapshot::Ending::kReturned)
        add_arrow(callee, caller, to.y1, true);
    }
  }

  const TimingInput& in_;
  const std::vector<TimingItem> items_;
  const TimingLanes lanes_;
  std::vector<int64_t> bar_of_;                                 // per item, -1: folded
  std::map<std::tuple<int, int, int>, TimingFold> open_folds_;  // by column, lane and depth
  TimingLayout out_;
};

}  // namespace

TimingLayout lay_out(const TimingInput& input) { return Builder(input).build(); }

}  // namespace compmond::diagrams
