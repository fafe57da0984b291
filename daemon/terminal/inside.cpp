// SPDX-License-Identifier: Apache-2.0
#include "terminal/inside.h"

#include <fmt/format.h>

#include <algorithm>

#include "terminal/estimate_cells.h"
#include "terminal/parts.h"
#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"

namespace compmond::terminal {
namespace {

using snapshot::Estimated;
using snapshot::Inside;
using snapshot::Spent;
using snapshot::Whose;
using text::Cell;
using text::Row;

constexpr snapshot::TimeOf kAll = &Estimated::net_real_ns;
constexpr size_t kFunctions = 25, kCallers = 15;
constexpr double kNamesOfFunctions = 0.4;  // of the width, at most
constexpr double kLeastCaller = 0.01;  // of the part's time: what less goes through is not shown
constexpr size_t kIndents = 12;        // deeper callers are not worth the room

Cell part_cell(const Spent& of, const Spent& whole) {
  if (only_bound(estimated_of(of), kAll) || whole.all_ns.value_ns <= 0) return {"–", Ink::kQuiet};
  return {text::percent(100 * of.all_ns.value_ns / whole.all_ns.value_ns)};
}

// Its file stands beside it.
std::string shown_label(const Inside::Function& function) {
  if (function.name.empty() && function.start) return fmt::format("{:#x}", *function.start);
  return text::clean(label(function));
}

std::string where(const Inside::Function& function) {
  if (function.whose == Whose::kKernel || function.whose == Whose::kVdso)
    return function.whose.text();
  if (function.image.empty()) return "";
  const std::string file = text::clean(text::leaf(function.image));
  return function.whose == Whose::kOwn ? file : file + " (library)";
}

Lines functions(const Inside& inside, const Style& style, size_t width) {
  const bool waits = inside.off_cpu_share > 0;
  text::Table table({{"function", false, 12, 0},
                     {"own", true, 8, 0},
                     {"±", true, 6, 4},
                     {"of it", true, 7, 0},
                     {waits ? "on CPU" : "", true, 7, 3},
                     {waits ? "waiting" : "", true, 7, 2},
                     {"total", true, 8, 0},
                     {"of it", true, 7, 5},
                     {"in", false, 8, 1}},
                    kNamesOfFunctions);
  size_t shown = 0, more = 0;
  for (const Inside::Function& f : inside.functions) {
    if (f.total.samples == 0) continue;  // it only called
    if (shown++ >= kFunctions) {
      ++more;
      continue;
    }
    const Estimated own = estimated_of(f.own), total = estimated_of(f.total);
    const bool none = f.own.samples == 0;
    const auto own_cell = [&](snapshot::TimeOf time) {
      return none ? Cell{"–", Ink::kQuiet} : time_cell(own, time);
    };
    table.add({{{shown_label(f)},
                own_cell(kAll),
                none ? Cell{""} : spread_cell(own, kAll),
                part_cell(f.own, inside.total),
                waits ? own_cell(&Estimated::cpu_ns) : Cell{""},
                waits ? own_cell(&Estimated::waiting_ns) : Cell{""},
                time_cell(total, kAll),
                part_cell(f.total, inside.total),
                {where(f), f.whose == Whose::kOwn ? Ink::kPlain : Ink::kQuiet}},
               "",
               Ink::kPlain});
  }
  Lines out = table.lines(look_of(style), width - 2);
  if (more > 0) out.push_back(paint(style, Ink::kQuiet, fmt::format("{} more", more)));
  return moved_in(std::move(out));
}

// The paths outwards that most time goes through, a caller below whom it called.
class Callers {
 public:
  Callers(const Inside& inside) : inside_(inside), children_(inside.callers.size()) {
    for (size_t i = 1; i < inside.callers.size(); ++i)
      children_[size_t(inside.callers[i].parent)].push_back(i);
  }

  Lines lines(const Style& style, size_t width) {
    if (inside_.callers.size() < 2) return {};
    add(0, 0);
    Lines out = table_.lines(look_of(style), width - 2);
    if (left_ > 0) out.push_back(paint(style, Ink::kQuiet, fmt::format("{} more", left_)));
    return moved_in(std::move(out));
  }

 private:
  static double time_of(const Inside::Node& node) { return node.cpu_ns + node.waiting_ns; }

  void add(size_t node, size_t depth) {
    const double whole = time_of(inside_.callers[0]);
    for (const size_t i : children_[node]) {
      const Inside::Node& caller = inside_.callers[i];
      if (time_of(caller) < kLeastCaller * whole) continue;
      if (shown_ >= kCallers) {
        ++left_;
        continue;
      }
      ++shown_;
      const Inside::Function& f = inside_.functions[size_t(caller.function)];
      table_.add({{{std::string(2 * std::min(depth, kIndents), ' ') + shown_label(f)},
                   {text::duration(time_of(caller))},
                   {text::percent(100 * time_of(caller) / whole)},
                   {where(f), Ink::kQuiet}},
                  "",
                  Ink::kPlain});
      add(i, depth + 1);
    }
  }

  const Inside& inside_;
  std::vector<std::vector<size_t>> children_;
  text::Table table_{{{"caller", false, 12, 0},
                      {"through it", true, 8, 0},
                      {"of it", true, 7, 0},
                      {"in", false, 8, 1}},
                     0.6};
  size_t shown_ = 0, left_ = 0;
};

// Why there is no sample in the part.
std::string why_none(const Inside& inside, const snapshot::Snapshot& of) {
  if (inside.taken > 0)
    return "it was on no stack that was looked at: it took too little time, or was not called";
  if (!of.health.samples) return "none were taken";
  const snapshot::SamplesHealth& samples = *of.health.samples;
  if (samples.lost > 0) return fmt::format("all {} were lost", text::count(samples.lost));
  if (samples.known_until_ns > 0 && samples.known_until_ns <= of.window_start_ns)
    return "those of this window are not known yet: it begins after the last stretch that is";
  if (samples.cpu_ns <= 0) return "the program used no CPU time here, and no wait of it ended";
  return fmt::format("the program used {} of CPU time here, too little for {}",
                     text::duration(samples.cpu_ns), text::hertz(samples.hz));
}

std::vector<Segment> sums(const Inside& inside, const snapshot::Snapshot& of) {
  std::vector<Segment> out;
  const Estimated total = estimated_of(inside.total);
  const auto add = [&](snapshot::TimeOf time, const char* what) {
    const std::string spread = spread_cell(total, time).text;
    out.push_back({time_cell(total, time).text + (spread.empty() ? "" : " " + spread) + what});
  };
  if (inside.total.samples > 0) {
    add(&Estimated::cpu_ns, " on CPU");
    if (inside.off_cpu_share > 0 && inside.total.waiting_ns.value_ns > 0)
      add(&Estimated::waiting_ns, " waiting");
  }
  out.push_back({fmt::format("{} of {}", text::count(inside.total.samples),
                             text::counted(inside.taken, "sample"))});
  if (inside.total.samples == 0) out.push_back({why_none(inside, of), Ink::kAmber});
  if (!inside.complete)
    out.push_back(
        {"only the newest samples are kept in full: of the rest nothing is here", Ink::kAmber});
  if (inside.without_stack > 0)
    out.push_back({text::counted(inside.without_stack, "sample") + " whose stack was forgotten",
                   Ink::kAmber});
  if (inside.lost > 0) out.push_back({text::counted(inside.lost, "sample") + " lost", Ink::kAmber});
  if (const std::string cut = cut_text(inside); !cut.empty()) out.push_back({cut, Ink::kQuiet});
  if (inside.folded > 0)
    out.push_back(
        {text::counted(inside.folded, "sample") + " end early: too many paths", Ink::kAmber});
  return out;
}

}  // namespace

std::string inside(const Inside& inside, const std::string& name, const snapshot::Snapshot& of,
                   const Style& style) {
  const size_t width = layout_width(style);
  Lines out{"", paint(style, Ink::kTitle, "Inside " + text::clean(name))};
  const auto append = [&](Lines lines) { out.insert(out.end(), lines.begin(), lines.end()); };
  append(moved_in(flow(style, sums(inside, of), width - 2)));
  if (inside.total.samples > 0) append(functions(inside, style, width));
  if (Lines callers = Callers(inside).lines(style, width); !callers.empty()) {
    out.emplace_back();
    append(std::move(callers));
  }
  std::string text;
  for (const std::string& line : out) text += line + "\n";
  return text;
}

}  // namespace compmond::terminal
