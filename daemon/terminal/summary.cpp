// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <set>

#include "base/result.h"
#include "terminal/order.h"
#include "terminal/parts.h"
#include "terminal/table.h"
#include "text/clean.h"
#include "text/columns.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;
using snapshot::Operation;
using text::Table;

constexpr double kNameShare = 0.5;
constexpr size_t kDearestShown = 3;
constexpr size_t kRefusedShown = 40;

void section(Lines& out, const Style& style, const char* title, Lines body) {
  if (body.empty()) return;
  out.emplace_back();
  out.push_back(paint(style, Ink::kTitle, title));
  append(out, std::move(body));
}

// Everything refused, from the list and from the components, each symbol once. Reasons are whole: a
// name gives way.
Lines refused(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  std::vector<snapshot::Health::Refused> all = snapshot.health.refused;
  std::set<std::string> listed;
  for (const auto& r : all) listed.insert(r.symbol);
  for (const Component& c : snapshot.components)
    for (const Operation& o : c.operations)
      if (o.exit_mode == snapshot::ExitMode::kRefused && listed.insert(o.symbol).second)
        all.push_back({o.symbol, o.reason});
  Lines out;
  for (size_t i = 0; i < std::min(all.size(), kRefusedShown); ++i) {
    std::string name =
        text::ellipsized(text::clean(all[i].symbol), width - 2, text::ellipsis(style.unicode));
    if (!style.unicode) name = text::ascii(name);
    out.push_back("  " + name);
    append(out, wrapped(style, {text::clean(all[i].reason), Ink::kAmber}, 4, width));
  }
  if (all.size() > kRefusedShown)
    out.push_back(paint(style, Ink::kQuiet, fmt::format("  {} more", all.size() - kRefusedShown)));
  return out;
}

// The operations whose probes cost most, with their shares of what all probes cost.
std::vector<std::string> dearest(const snapshot::Snapshot& snapshot) {
  const auto cost_of = [&](const Operation& o) {
    for (const auto& cost : snapshot.health.probe_cost)
      if (cost.site == o.site && cost.exit_mode == o.exit_mode &&
          (cost.engine == o.engine || cost.engine.empty()))
        return double(o.figures.calls) * (cost.inside_ns + cost.outside_ns);
    return 0.0;
  };
  double all = 0;
  std::vector<std::pair<double, const Operation*>> sorted;
  for (const Component& c : snapshot.components)
    for (const Operation& o : c.operations) {
      sorted.emplace_back(cost_of(o), &o);
      all += sorted.back().first;
    }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> out;
  for (size_t i = 0; i < std::min(sorted.size(), kDearestShown) && sorted[i].first > 0; ++i) {
    const Operation& o = *sorted[i].second;
    out.push_back(fmt::format("{} {}", text::clean(o.name.empty() ? o.symbol : o.name),
                              text::percent(100 * sorted[i].first / all)));
  }
  return out;
}

Lines probe_cost(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  Table table({{"", false, 0, 0}, {"inside", true, 7, 0}, {"at the caller's", true, 7, 0}},
              kNameShare);
  for (const auto& cost : snapshot.health.probe_cost) {
    const std::string mode =
        cost.exit_mode == Word<snapshot::ExitMode>() ? "" : ", " + cost.exit_mode.text();
    table.add({{{text::clean(cost.site) + mode},
                {text::duration(cost.inside_ns)},
                {text::duration(cost.outside_ns)}},
               "",
               Ink::kPlain});
  }
  Lines out = indented(table, style, width);
  append(out, listing(style, "dearest in all", dearest(snapshot), width));
  if (const auto& health = snapshot.health; health.transfers_ns > 0)
    append(out, listing(style, "exceptions and jumps",
                        {fmt::format("{} seen where they begin or are caught, {} in all",
                                     text::count(health.transfers),
                                     text::duration(double(health.transfers_ns)))},
                        width));
  if (const auto& health = snapshot.health; health.beside_ns > 0)
    append(out, listing(style, "beside calls",
                        {text::duration(double(health.beside_ns)) +
                         " for samples, slices, and probes that came and went"},
                        width));
  return out;
}

Lines notes(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  Lines out;
  for (const std::string& note : snapshot.health.notes)
    append(out, wrapped(style, {text::clean(note), Ink::kAmber}, 2, width));
  std::string detached;
  for (const std::string& name : snapshot.health.throttled)
    detached +=
        (detached.empty() ? "detached to keep the overhead down: " : " · ") + text::clean(name);
  if (!detached.empty()) append(out, wrapped(style, {detached, Ink::kAmber}, 2, width));
  append(out, switches(snapshot, style, width));
  return out;
}

std::vector<Segment> sums(const snapshot::Snapshot& snapshot) {
  std::vector<Segment> out;
  const auto& samples = snapshot.health.samples;
  if (!knows_no_calls(snapshot)) {
    const Totals all = totals(snapshot);
    const bool more = std::ranges::any_of(snapshot.components, [](const Component& c) {
      return snapshot::estimated_calls(c.figures) != nullptr;
    });
    if (more)  // beside estimates that are thousands of times as many
      out.push_back({text::count(all.calls) + " calls seen by probes"});
    else
      out.push_back({(all.at_least ? "≥" : "") + text::count(all.calls) + " calls"});
    // What probes saw is not the sum of the times above where samples tell these.
    if (!rests_on_samples(snapshot))
      out.push_back({(all.uncertain ? "~" : "") + text::duration(double(all.net_real_ns)) +
                     " net real time"});
  } else if (samples) {
    out.push_back({text::count(samples->taken) + " samples"});
  }
  snapshot::Closed closed;
  for (const Component& c : snapshot.components) closed += c.figures.closed;
  if (closed.failed > 0)
    out.push_back({closed.failed_mark() + text::count(closed.failed) + " failed", Ink::kRed});
  if (const uint64_t left = closed.left(); left > 0)
    out.push_back({text::count(left) + " left without a return"});
  if (samples && samples->cpu_ns > 0) out.push_back({text::duration(samples->cpu_ns) + " on CPU"});
  out.push_back({text::counted(snapshot.components.size(), "component")});
  if (const uint64_t open = totals(snapshot).open)
    out.push_back({text::count(open) + " still running", Ink::kQuiet});
  return out;
}

}  // namespace

std::string summary(const snapshot::Snapshot& snapshot, const Style& style) {
  const size_t width = layout_width(style);
  // The answer comes last, where a terminal shows it without scrolling.
  Lines out;
  section(out, style, "Operations", operations(snapshot, style, width));
  section(out, style, rests_on_samples(snapshot) ? "Time by caller" : "Calls between components",
          edges(snapshot, style, width));
  section(out, style, "Below no operation, by file", elsewhere(snapshot, style, width));
  section(out, style, "Cost of the probes, per call", probe_cost(snapshot, style, width));
  section(out, style, "Refused", refused(snapshot, style, width));
  section(out, style, "Notes", notes(snapshot, style, width));
  section(out, style, "Objectives", objectives(snapshot, style, width));
  section(out, style, "Components", components(snapshot, style, width));
  append(out, legend(snapshot, style, width));
  out.emplace_back();
  append(out, header(snapshot, style, width));
  append(out, flow(style, sums(snapshot), width));
  append(out, health(snapshot, style, width));
  std::string text;
  for (const std::string& line : out) text += line + "\n";
  return text;
}

}  // namespace compmond::terminal
