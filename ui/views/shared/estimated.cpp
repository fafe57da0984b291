// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/estimated.h"

#include <fmt/format.h>

#include <algorithm>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "text/clean.h"
#include "text/numbers.h"

namespace compmond::ui {

using snapshot::Estimated;
using snapshot::SamplesHealth;

namespace {

bool waiting_is_known(const std::optional<SamplesHealth>& health) {
  return !health || health->off_cpu_share > 0;
}

const Estimated kNothing;

}  // namespace

const Estimated* estimated_of(const snapshot::Figures& figures) {
  if (!times_estimated(figures)) return nullptr;
  return figures.estimated ? &*figures.estimated : &kNothing;
}

const Estimated* estimated_of(const snapshot::Component& component) {
  if (!component.operations.empty()) return estimated_of(component.figures);
  if (!times_estimated(component.subtree)) return nullptr;
  return component.subtree.estimated ? &*component.subtree.estimated : &kNothing;
}

bool saw_calls(const snapshot::Component& component) {
  return component.operations.empty() ? component.subtree.seen : component.figures.seen;
}

std::string at_least_mark(const snapshot::Figures& figures) { return figures.at_least ? "≥" : ""; }

std::string calls_text(const snapshot::Figures& figures) {
  if (const auto* calls = estimated_calls(figures))
    return value_text(*calls) + " " + spread_text(*calls);
  return tells_calls(figures) ? at_least_mark(figures) + text::count(figures.calls) : "none seen";
}

std::string how_calls_are_known(const snapshot::Figures& figures) {
  if (const auto* calls = estimated_calls(figures))
    return fmt::format(
        "95 % between {} and {}: {} were seen, the others follow from slices of the time and what "
        "the program read.",
        text::count(uint64_t(calls->low)), text::count(uint64_t(calls->high)),
        text::count(figures.calls));
  return figures.not_extrapolated ? fmt::format("Slices do not tell of the others: {}.",
                                                text::clean(*figures.not_extrapolated))
                                  : std::string();
}

std::string single_text(uint64_t ns) { return ns > 0 ? text::duration(double(ns)) : "–"; }

std::string raw_single_text(const snapshot::Figures& figures, uint64_t ns) {
  return (ns > 0 && single_uncertain(figures, ns) ? "~" : "") + single_text(ns);
}

std::string observed_text(const snapshot::Figures& figures) {
  const auto share = figures.observed_share;
  return share ? fmt::format(" in {} of the time", text::whole_percent(100 * *share)) : "";
}

std::string estimate_text(const Estimated& of, TimeOf time) {
  const std::string spread = spread_text(of, time);
  return value_text(of, time) + (spread.empty() ? "" : " ") + spread;
}

std::string real_text(const snapshot::Figures& figures) {
  const Estimated* of = estimated_of(figures);
  return of ? value_text(*of, &Estimated::net_real_ns) : text::duration(shown_real_ns(figures));
}

std::string raw_text(const snapshot::Figures& figures) {
  const bool seen = figures.seen && !(figures.estimated && figures.estimated->raw_ns);
  return seen || !figures.estimated
             ? at_least_mark(figures) + text::duration(double(figures.raw_ns))
             : value_text(*figures.estimated, &Estimated::raw_ns);
}

std::optional<double> cpu_share(const Estimated& of, const std::optional<SamplesHealth>& health) {
  if (!of.cpu_ns || !of.waiting_ns || !waiting_is_known(health)) return {};
  if (of.net_real_ns && only_bound(of, &Estimated::net_real_ns)) return {};
  const double both = of.cpu_ns->value_ns + of.waiting_ns->value_ns;
  return both > 0 ? std::optional(of.cpu_ns->value_ns / both) : std::nullopt;
}

std::string where_text(const Estimated& of, const std::optional<SamplesHealth>& health) {
  if (of.samples == 0) return "not seen";
  if (few(of)) return fmt::format("{} sample{} only", of.samples, of.samples == 1 ? "" : "s");
  if (!waiting_is_known(health)) return "on CPU alone";
  const auto share = cpu_share(of, health);
  if (!share && of.net_real_ns && of.net_real_ns->value_ns > 0) return "few own samples";
  if (!share) return "only callees";  // it is on stacks, never innermost
  return *share >= 0.5 ? text::whole_percent(100 * *share) + " on CPU"
                       : text::whole_percent(100 - 100 * *share) + " waiting";
}

std::string inside_text(const snapshot::Component& component,
                        const std::optional<SamplesHealth>& health) {
  const auto& subtree = component.subtree;
  if (!subtree.estimated || !times_estimated(subtree))
    return fmt::format("{} inside, {} calls", text::duration(double(shown_real_ns(subtree))),
                       text::count(subtree.calls));
  return fmt::format("{} inside, {}", value_text(*subtree.estimated, &Estimated::net_real_ns),
                     where_text(*subtree.estimated, health));
}

std::string whose_text(const snapshot::Component& component,
                       const std::optional<SamplesHealth>& health) {
  if (component.operations.empty()) return "Its figures are the sums of what is inside it.";
  return fmt::format("Its figures are of its own operations: {}, these included.",
                     inside_text(component, health));
}

std::string interval_text(const Estimated& of, TimeOf time) {
  if (!is_told(of, time)) return "not known";
  const snapshot::Estimate* shown = &*(of.*time);
  if (!is_value(of, time))
    return fmt::format("less than {}{}", text::duration(shown->high_ns),
                       few(of) || few_own(of) || shown->value_ns <= 0
                           ? ""
                           : ": few of its samples weigh most of it");
  std::string out = fmt::format("{}, 95 % between {} and {}", value_text(of, time),
                                text::duration(shown->low_ns), text::duration(shown->high_ns));
  if (time == &Estimated::waiting_ns && of.runnable_ns)
    out += fmt::format(", {} of it for a CPU", text::duration(of.runnable_ns->value_ns));
  return out;
}

std::string samples_text(const Estimated& of) {
  if (of.samples == 0) return "in no sample of the window";
  std::string out = fmt::format("estimated from {} sample{}", text::count(of.samples),
                                of.samples == 1 ? "" : "s");
  if (few(of)) return out + ": too few for a value";
  if (const uint64_t own = of.own_samples.value_or(of.samples); own != of.samples)
    out += fmt::format(", {} of them its own", text::count(own));
  return few_own(of) ? out + ": too few for a value of own times" : out;
}

std::string estimate_words(const Estimated& of, const std::optional<SamplesHealth>& health) {
  std::string out;
  const auto line = [&](const char* label, TimeOf time) {
    if (of.*time) out += fmt::format("{}  {}\n", label, interval_text(of, time));
  };
  line("real (net)", &Estimated::net_real_ns);
  line("on CPU", &Estimated::cpu_ns);
  if (waiting_is_known(health))
    line("waiting", &Estimated::waiting_ns);
  else
    out += "waiting  not sampled\n";
  line("raw", &Estimated::raw_ns);
  const auto more = [&](TimeOf time) { return is_value(of, time) && at_least(of, time); };
  if (health && !sees_all_waiting(*health) &&
      (more(&Estimated::waiting_ns) || more(&Estimated::net_real_ns)))
    out += "≥: waiting was sampled only part of the time\n";
  else if (health && health->lost > 0 && more(&Estimated::waiting_ns) && !more(&Estimated::cpu_ns))
    out += "≥: samples were lost, and their waiting with them\n";
  else if (more(&Estimated::cpu_ns) || more(&Estimated::net_real_ns))
    out += "≥: some stacks were cut before any operation was met\n";
  else if (more(&Estimated::raw_ns))
    out += "raw: at least, for some stacks were cut, or it ends in jumps to other functions\n";
  return out + samples_text(of);
}

}  // namespace compmond::ui
