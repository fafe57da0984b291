// SPDX-License-Identifier: Apache-2.0
#include "ui/views/table/table_columns.h"

#include <cmath>
#include <limits>

#include "text/numbers.h"
#include "ui/views/shared/slo.h"

namespace compmond::ui {
namespace {

using snapshot::Estimated;
using snapshot::Figures;

double estimated(const Figures& f, TimeOf time) {
  return f.estimated && (*f.estimated).*time ? ((*f.estimated).*time)->value_ns : 0;
}

std::string whole(double value) { return text::count(uint64_t(value)); }

// Of those of which there is nothing to compare with.
constexpr double kNothingBefore = std::numeric_limits<double>::lowest();

std::string deviation_text(double percent) {
  if (percent == kNothingBefore) return "–";
  return (percent < 0 ? "−" : "+") + text::percent(std::abs(percent));
}

std::string missed_or_none(double value) { return value < 0 ? "–" : whole(value); }

// Those first that are looked at first: on a small screen the others are scrolled to.
constexpr TableColumn kColumns[] = {
    {"hotness", 66, Term::kHotness, [](const Figures& f, double) { return f.hotness; },
     text::hotness},
    {"deviation", 76, Term::kDeviation,
     [](const Figures& f, double seconds) {
       return f.deviation_ns && seconds > 0 ? *f.deviation_ns / seconds / 1e7 : kNothingBefore;
     },
     deviation_text},
    {"real", 76, Term::kNetReal, [](const Figures& f, double) { return shown_real_ns(f); },
     text::duration, &Estimated::net_real_ns},
    {"on CPU", 76, Term::kOnCpu,
     [](const Figures& f, double) { return estimated(f, &Estimated::cpu_ns); }, text::duration,
     &Estimated::cpu_ns, true},
    {"waiting", 76, Term::kWaiting,
     [](const Figures& f, double) {
       return f.estimated ? estimated(f, &Estimated::waiting_ns) : double(f.waiting_ns);
     },
     text::duration, &Estimated::waiting_ns, true},
    {"calls", 72, Term::kCalls, [](const Figures& f, double) { return shown_calls(f); }, whole},
    {"raw", 76, Term::kRaw,
     [](const Figures& f, double) {
       return f.estimated && f.estimated->raw_ns ? estimated(f, &Estimated::raw_ns)
                                                 : double(f.raw_ns);
     },
     text::duration, &Estimated::raw_ns},
    {"missed", 62, Term::kViolations,
     [](const Figures& f, double) { return f.slo ? double(violations(f)) : -1.0; }, missed_or_none},
    {"mean raw", 76, Term::kMean, [](const Figures& f, double) { return double(f.mean_ns); },
     text::duration, nullptr, false, true},
    {"p99", 76, Term::kP99, [](const Figures& f, double) { return double(f.p99_ns); },
     text::duration, nullptr, false, true},
    {"max", 76, Term::kMax, [](const Figures& f, double) { return double(f.max_ns); },
     text::duration, nullptr, false, true},
    {"mean real", 76, Term::kMeanReal,
     [](const Figures& f, double) { return double(f.mean_real_ns); }, text::duration},
    {"of wall", 68, Term::kOfWall,
     [](const Figures& f, double seconds) {
       return seconds > 0 ? shown_real_ns(f) / seconds / 1e7 : 0;
     },
     text::percent},
    {"rate", 80, Term::kRate,
     [](const Figures& f, double seconds) { return seconds > 0 ? shown_calls(f) / seconds : 0; },
     text::per_second},
    {"p50", 76, Term::kP50, [](const Figures& f, double) { return double(f.p50_ns); },
     text::duration, nullptr, false, true},
    {"p90", 76, Term::kP90, [](const Figures& f, double) { return double(f.p90_ns); },
     text::duration, nullptr, false, true},
    {"open", 48, Term::kOpen, [](const Figures& f, double) { return double(f.open); }, whole},
};

}  // namespace

std::span<const TableColumn> table_columns() { return kColumns; }

}  // namespace compmond::ui
