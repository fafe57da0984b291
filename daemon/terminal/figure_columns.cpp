// SPDX-License-Identifier: Apache-2.0
#include "terminal/figure_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "figures/metric.h"
#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "terminal/estimate_cells.h"
#include "terminal/order.h"
#include "text/numbers.h"

namespace compmond::terminal {
namespace {

using figures::Figure;
using snapshot::Estimated;
using snapshot::Figures;
using text::Cell;
using text::Ink;
using View = FigureColumns::View;

const Cell kUnknown = {kUntold, Ink::kQuiet};
const Estimated kNoEstimate;

const Estimated& estimate(const Told& told) {
  return told.figures.estimated ? *told.figures.estimated : kNoEstimate;
}

bool called(const Told& t) { return t.figures.calls + t.figures.open > 0 || t.figures.sliced; }
bool timed(const Told& told) { return told.figures.seen && told.timed && called(told); }
Ink ink_of(const Told& told) {
  return told.group || is_idle(told.figures) ? Ink::kQuiet : Ink::kPlain;
}

// Of an exact time that contains much of the probes' cost, or what absent ones did not see.
std::string about(const Told& told) { return told.figures.uncertain ? "~" : ""; }
Ink trust(const Told& told) { return told.figures.uncertain ? Ink::kAmber : ink_of(told); }

// Of what only grows with the calls that were not seen.
Cell least(const Told& told, const std::string& text) {
  const bool more = told.figures.at_least;
  if (more && !tells_calls(told.figures)) return kUnknown;
  return {(more ? "≥" : "") + text, more ? Ink::kAmber : ink_of(told)};
}

// Of single executions: of those that were seen.
Cell exact_time(const Told& told, uint64_t ns) {
  return timed(told) && !told.group ? Cell{text::duration(ns), ink_of(told)} : kUnknown;
}

// Likewise, a raw one.
Cell raw_time(const Told& told, uint64_t ns) {
  Cell out = exact_time(told, ns);
  if (out.text == kUntold || !single_uncertain(told.figures, ns)) return out;
  return {"~" + out.text, Ink::kAmber};
}

template <snapshot::TimeOf time>
Cell estimated_time(const View& view, const Told& told) {
  if (!view.samples) return {""};
  const bool part = time == &Estimated::cpu_ns || time == &Estimated::waiting_ns;
  if (part && estimate(told).*time && tells_nothing(told.figures, time)) return kUnknown;
  Cell out = time_cell(estimate(told), time);
  if (told.group && out.ink == Ink::kPlain) out.ink = Ink::kQuiet;
  return out;
}

// Where samples do not tell, what is marked as waiting in the spec.
Cell waiting(const View& view, const Told& told) {
  if (view.samples || told.figures.waiting_ns == 0)
    return estimated_time<&Estimated::waiting_ns>(view, told);
  return exact_time(told, told.figures.waiting_ns);
}

template <snapshot::TimeOf time>
double estimated_value(const View&, const Told& told) {
  const auto& e = estimate(told).*time;
  return e ? e->value_ns : 0;
}

template <snapshot::TimeOf time>
Cell spread(const View&, const Told& told) {
  return spread_cell(estimate(told), time);
}

double no_value(const View&, const Told&) { return 0; }

double real_value(const View& view, const Told& told) {
  return view.estimated ? estimated_value<&Estimated::net_real_ns>(view, told)
                        : shown_real_ns(told.figures);
}

Cell real(const View& view, const Told& told) {
  Cell out =
      view.estimated ? estimated_time<&Estimated::net_real_ns>(view, told)
      : timed(told)
          ? Cell{about(told) + text::duration(uint64_t(shown_real_ns(told.figures))), trust(told)}
          : kUnknown;
  if (told.group && out.text != kUnknown.text) out.text.insert(0, "Σ");
  return out;
}

Cell wall(const View& view, const Told& told) {
  const double percent = view.seconds > 0 ? real_value(view, told) / view.seconds / 1e7 : 0;
  if (view.estimated) {
    const Estimated& e = estimate(told);
    if (percent <= 0 || only_bound(e, &Estimated::net_real_ns)) return kUnknown;
    const bool more = at_least(e, &Estimated::net_real_ns);
    return {(more ? "≥" : "") + text::percent(percent), more ? Ink::kAmber : ink_of(told)};
  }
  if (!timed(told) || view.seconds <= 0) return kUnknown;
  return {(percent < 0.01 ? "" : about(told)) + text::percent(percent), trust(told)};
}

Cell raw(const View& view, const Told& told) {
  if (told.figures.seen && !estimate(told).raw_ns)
    return timed(told) && !told.group ? least(told, text::duration(told.figures.raw_ns)) : kUnknown;
  return estimated_time<&Estimated::raw_ns>(view, told);
}

// Where no call can be seen at all there is no column of them.
Cell without_calls(const View& view) { return view.counts ? kUnknown : Cell{""}; }

Cell calls(const View& view, const Told& told) {
  const Figures& f = told.figures;
  if (!f.seen) return without_calls(view);
  if (auto* c = estimated_calls(f)) return {value_text(*c) + " " + spread_text(*c), ink_of(told)};
  if (told.unproven || !tells_calls(f)) return {"?", Ink::kAmber};
  return least(told, text::count(f.calls));
}

Cell rate(const View& view, const Told& told) {
  if (!told.figures.seen) return without_calls(view);
  if (is_idle(told.figures) || view.seconds <= 0) return kUnknown;
  if (estimated_calls(told.figures))
    return {"≈" + text::rate(shown_calls(told.figures) / view.seconds), ink_of(told)};
  return least(told, text::rate(double(told.figures.calls) / view.seconds));
}

template <uint64_t Figures::*time>
Cell single(const View& view, const Told& told) {
  return told.figures.seen ? raw_time(told, told.figures.*time) : without_calls(view);
}

Cell longest(const View& view, const Told& told) {
  if (!told.figures.seen) return without_calls(view);
  return timed(told) && !told.group ? least(told, text::duration(told.figures.max_ns)) : kUnknown;
}

template <uint64_t Figures::*figure>
double value(const View&, const Told& told) {
  return double(told.figures.*figure);
}

// Of the executions that ended: how many did so in this way, and which share that is.
Cell share_of_ended(const View& view, const Told& told, uint64_t count, Cell mark) {
  const Figures& f = told.figures;
  if (!f.seen) return without_calls(view);
  if (count == 0) return {f.closed.all() > 0 && mark.text.empty() ? "0" : kUntold, Ink::kQuiet};
  const std::string share = text::percent(100 * double(count) / double(f.closed.all()));
  return {fmt::format("{0}{1} {0}{2}", mark.text, text::count(count), share),
          told.group ? Ink::kQuiet : mark.ink};
}

Cell failed(const View& view, const Told& told) {
  const auto& closed = told.figures.closed;
  return share_of_ended(view, told, closed.failed, {closed.failed_mark(), Ink::kRed});
}

// Without a return, and not by an exception.
Cell left(const View& view, const Told& told) {
  return share_of_ended(view, told, told.figures.closed.left(), {"", Ink::kPlain});
}

double value_ranked(const View&, const Told& told) { return told.figures.ranked; }

Cell mean_real(const View& view, const Told& told) {
  if (!told.figures.seen) return without_calls(view);
  Cell out = exact_time(told, uint64_t(told.figures.ranked));
  return out.text == kUntold ? out : Cell{about(told) + out.text, trust(told)};
}

// As a share of the window's length.
Cell deviation(const View& view, const Told& told) {
  const auto& ns = told.figures.deviation_ns;
  if (!ns || view.seconds <= 0) return kUnknown;
  return {(*ns < 0 ? "-" : "+") + text::percent(std::abs(*ns) / view.seconds / 1e7), ink_of(told)};
}

double missed_value(const View&, const Told& told) { return double(violations(told.figures)); }

Cell missed(const View& view, const Told& told) {
  if (!told.figures.seen) return without_calls(view);
  const uint64_t missed = violations(told.figures);
  if (!told.figures.slo || !tells_calls(told.figures)) return kUnknown;
  return {(told.figures.at_least ? "≥" : "") + text::count(missed),
          missed > 0 ? Ink::kRed : Ink::kQuiet};
}

enum class When {
  kAlways,
  kComponents,  // of operations it would only take room
  kEstimated,   // real times are estimates
  kBeside,      // samples stand beside exact figures
  kFailed,      // some call was left by an exception
  kLeft,        // some call was left without a return in another way
  kRanked       // it is what the metric ranks
};

struct Known {
  FigureColumns::Column column;
  When when = When::kAlways;
  std::optional<Figure> shows = std::nullopt;  // that a metric may rank
};

// In the order in which they stand; what is dispensable goes in the order of the numbers.
std::vector<Known> all_columns(const View& view) {
  const char* const real_title = view.estimated ? "real" : "net real";
  return {
      {{{real_title, true, 8, 0}, real, real_value}, When::kAlways, Figure::kReal},
      {{{"±", true, 6, 4}, spread<&Estimated::net_real_ns>, no_value}, When::kEstimated},
      {{{"deviates", true, 8, 0}, deviation, value_ranked}, When::kRanked, Figure::kDeviation},
      {{{"mean net", true, 8, 0}, mean_real, value_ranked}, When::kRanked, Figure::kMeanReal},
      {{{"longest", true, 7, 0}, longest, value<&Figures::max_ns>},
       When::kRanked,
       Figure::kLongest},
      {{{"missed", true, 7, 0}, missed, missed_value}, When::kRanked, Figure::kMissed},
      {{{"of wall", true, 7, 4}, wall, real_value}, When::kComponents, Figure::kOfWall},
      {{{"on CPU", true, 8, 2},
        estimated_time<&Estimated::cpu_ns>,
        estimated_value<&Estimated::cpu_ns>},
       When::kAlways,
       Figure::kOnCpu},
      {{{"±", true, 6, 11}, spread<&Estimated::cpu_ns>, no_value}, When::kBeside},
      {{{"waiting", true, 8, 3}, waiting, no_value}},
      {{{"±", true, 6, 12}, spread<&Estimated::waiting_ns>, no_value}, When::kBeside},
      {{{"raw", true, 7, 8}, raw, no_value}},
      {{{"calls", true, 9, 1}, calls, value<&Figures::calls>}, When::kAlways, Figure::kCalls},
      {{{"calls/s", true, 7, 10}, rate, no_value}, When::kComponents},
      {{{"failed", true, 9, 6}, failed, no_value}, When::kFailed},
      {{{"left", true, 9, 9}, left, no_value}, When::kLeft},
      {{{"mean", true, 7, 7}, single<&Figures::mean_ns>, no_value}},
      {{{"p99", true, 7, 5}, single<&Figures::p99_ns>, value<&Figures::p99_ns>},
       When::kAlways,
       Figure::kP99},
  };
}

}  // namespace

FigureColumns::FigureColumns(const snapshot::Snapshot& snapshot, Of of)
    : view_{double(known_window(snapshot).length()) / 1e9, rests_on_samples(snapshot),
            !knows_no_calls(snapshot), snapshot.health.samples.has_value()} {
  const figures::Metric* const metric = figures::metric(snapshot.metric);
  size_t ranked = 0;
  snapshot::Closed closed;
  for (const snapshot::Component& c : snapshot.components) closed += c.figures.closed;
  for (Known& known : all_columns(view_)) {
    const bool ranks = metric && known.shows == metric->ranks();
    const bool there = ranks || known.when == When::kAlways ||
                       (known.when == When::kComponents && of == Of::kComponents) ||
                       (known.when == When::kEstimated && view_.estimated) ||
                       (known.when == When::kFailed && closed.failed > 0) ||
                       (known.when == When::kLeft && closed.left() > 0) ||
                       (known.when == When::kBeside && view_.samples && !view_.estimated);
    if (!there) continue;
    if (ranks) {
      ranked = columns_.size();
      known.column.head.dispensable = 0;
    }
    columns_.push_back(std::move(known.column));
  }
  std::rotate(columns_.begin(), columns_.begin() + std::ptrdiff_t(ranked),
              columns_.begin() + std::ptrdiff_t(ranked) + 1);
}

std::vector<text::Column> FigureColumns::columns() const {
  std::vector<text::Column> out;
  for (const Column& column : columns_) out.push_back(column.head);
  return out;
}

std::vector<Cell> FigureColumns::cells(const Told& told) const {
  std::vector<Cell> out;
  for (const Column& column : columns_) out.push_back(column.cell(view_, told));
  return out;
}

double FigureColumns::rank(const Told& told) const { return columns_.front().value(view_, told); }

}  // namespace compmond::terminal
