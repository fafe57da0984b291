// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iterator>
#include <map>
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
using text::Cell;
using text::Row;
using text::Table;

constexpr size_t kOperationsShown = 5;  // per component; the snapshot has them all
constexpr double kNameShare = 0.5;      // names of operations are long and alike
constexpr size_t kEdgesShown = 25;
constexpr size_t kUnseenShown = 12;  // connections of the spec that nobody took
constexpr size_t kDearestShown = 3;
constexpr size_t kRefusedShown = 40;

void append(Lines& to, Lines lines) {
  to.insert(to.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

void section(Lines& out, const Style& style, const char* title, Lines body) {
  if (body.empty()) return;
  out.emplace_back();
  out.push_back(paint(style, Ink::kTitle, title));
  append(out, std::move(body));
}

// The lines of a table, moved in by two columns.
Lines indented(const Table& table, const Style& style, size_t width) {
  return table.empty() ? Lines() : moved_in(table.lines(look_of(style), width - 2));
}

// "what: a · b · c", in as many lines as that takes.
Lines listing(const Style& style, const std::string& what, std::vector<std::string> items,
              size_t width) {
  if (items.empty()) return {};
  items.front().insert(0, what + ": ");
  std::vector<Segment> said;
  for (std::string& item : items) said.push_back({std::move(item), Ink::kQuiet});
  return moved_in(flow(style, said, width - 2));
}

Row more(std::string text) { return {{{std::move(text), Ink::kQuiet}}, "", Ink::kQuiet}; }

Row row_of(const Operation& o) {
  const auto& f = o.figures;
  const bool timed = o.exit_mode != snapshot::ExitMode::kEntryOnly;
  const auto time = [&](uint64_t ns) {
    return Cell{timed ? text::duration(ns) : "–", timed ? Ink::kPlain : Ink::kQuiet};
  };
  Cell net = time(f.net_real_ns);
  if (timed && f.uncertain) net = {"~" + net.text, Ink::kAmber};
  const std::string name = text::clean(o.name.empty() ? o.symbol : o.name);
  return {{{"  " + name},
           net,
           time(f.raw_ns),
           {(f.at_least ? "≥" : "") + text::count(f.calls), f.at_least ? Ink::kAmber : Ink::kPlain},
           time(f.mean_ns),
           time(f.p99_ns),
           {o.exit_mode.text(), Ink::kQuiet},
           {text::clean(o.site), Ink::kQuiet}},
          "",
          Ink::kAmber};
}

// What of nothing was seen, by why.
using Unseen = std::map<std::string, std::vector<std::string>>;

std::string none_of(const std::string& doubt) { return doubt.empty() ? "never called" : doubt; }

// A component without any call is only added to `idle`.
void add_operations(Table& table, const snapshot::Snapshot& snapshot, const Component& component,
                    Unseen& idle) {
  std::vector<const Operation*> called;
  size_t never = 0;
  for (const Operation& o : component.operations) {
    if (o.exit_mode == snapshot::ExitMode::kRefused) continue;
    if (o.figures.calls > 0 || o.figures.open > 0)
      called.push_back(&o);
    else
      ++never;
  }
  if (called.empty()) {
    if (never > 0)
      idle[none_of(doubt_of_none(snapshot, component.figures))].push_back(
          fmt::format("{} ({})", text::clean(component.name), never));
    return;
  }
  std::stable_sort(called.begin(), called.end(), [](const Operation* a, const Operation* b) {
    return std::pair(a->figures.net_real_ns, a->figures.calls) >
           std::pair(b->figures.net_real_ns, b->figures.calls);
  });
  table.add({{{text::clean(component.name)}}, "", Ink::kPlain});
  for (size_t i = 0; i < std::min(called.size(), kOperationsShown); ++i)
    table.add(row_of(*called[i]));
  if (called.size() > kOperationsShown)
    table.add(more(fmt::format("  {} more", called.size() - kOperationsShown)));
  if (never > 0)
    table.add(
        more(fmt::format("  {} {}", never, none_of(doubt_of_none(snapshot, component.figures)))));
}

Lines operations(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  Table table({{"", false, 0, 0},
               {"net real", true, 8, 0},
               {"raw", true, 7, 3},
               {"calls", true, 9, 0},
               {"mean", true, 7, 2},
               {"p99", true, 7, 1},
               {"exit mode", false, 12, 4},
               {"site", false, 7, 5}},
              kNameShare);
  Unseen idle;
  for (const Placed& placed : by_heat(snapshot))
    add_operations(table, snapshot, *placed.component, idle);
  Lines out = indented(table, style, width);
  for (auto& [why, names] : idle) append(out, listing(style, why, std::move(names), width));
  return out;
}

Lines edges(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  std::vector<const snapshot::Edge*> sorted;
  Unseen unseen;
  bool any_declared = false;
  const auto ends = [](const snapshot::Edge& e) {
    return (e.from ? text::clean(*e.from) : "(outside)") + " → " + text::clean(e.to);
  };
  for (const snapshot::Edge& e : snapshot.edges) {
    any_declared |= e.declared;
    if (e.count > 0 || e.raw_ns > 0)
      sorted.push_back(&e);
    else
      unseen[doubt_of_none(snapshot, e)].push_back(ends(e));
  }
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->count > b->count; });
  Table table({{"", false, 0, 0}, {"calls", true, 9, 0}, {"raw", true, 7, 2}, {"", false, 15, 1}},
              kNameShare);
  for (size_t i = 0; i < std::min(sorted.size(), kEdgesShown); ++i) {
    const snapshot::Edge& e = *sorted[i];
    const bool undeclared = any_declared && !e.declared && e.from;
    table.add({{{ends(e)},
                {text::count(e.count)},
                {text::duration(e.raw_ns)},
                {undeclared ? "not in the spec" : "", Ink::kAmber}},
               "",
               Ink::kPlain});
  }
  if (sorted.size() > kEdgesShown)
    table.add(more(fmt::format("{} more", sorted.size() - kEdgesShown)));
  Lines out = indented(table, style, width);
  for (auto& [doubt, names] : unseen) {
    if (names.size() > kUnseenShown) {
      const size_t others = names.size() - kUnseenShown;
      names.resize(kUnseenShown);
      names.push_back(fmt::format("{} more", others));
    }
    append(out, listing(style, "in the spec, " + (doubt.empty() ? "never taken" : doubt),
                        std::move(names), width));
  }
  return out;
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
  const auto ns = [](double v) { return text::duration(v > 0 ? uint64_t(v + 0.5) : 0); };
  for (const auto& cost : snapshot.health.probe_cost) {
    const std::string mode =
        cost.exit_mode == Word<snapshot::ExitMode>() ? "" : ", " + cost.exit_mode.text();
    table.add({{{text::clean(cost.site) + mode}, {ns(cost.inside_ns)}, {ns(cost.outside_ns)}},
               "",
               Ink::kPlain});
  }
  Lines out = indented(table, style, width);
  append(out, listing(style, "dearest in all", dearest(snapshot), width));
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
  return out;
}

std::vector<Segment> sums(const snapshot::Snapshot& snapshot) {
  const Totals all = totals(snapshot);
  const auto& samples = snapshot.health.samples;
  if (rests_on_samples(snapshot) && samples)
    return {{text::count(samples->taken) + " samples"},
            {text::duration(uint64_t(samples->cpu_ns)) + " on CPU"},
            {fmt::format("{} component{}", snapshot.components.size(),
                         snapshot.components.size() == 1 ? "" : "s")}};
  std::vector<Segment> out{{text::count(all.calls) + " calls"},
                           {text::duration(all.net_real_ns) + " net real time"},
                           {text::counted(snapshot.components.size(), "component")}};
  if (all.open > 0) out.push_back({text::count(all.open) + " still running", Ink::kQuiet});
  return out;
}

}  // namespace

std::string summary(const snapshot::Snapshot& snapshot, const Style& style) {
  const size_t width = layout_width(style);
  // The answer comes last, where a terminal shows it without scrolling.
  Lines out;
  const bool sampled = rests_on_samples(snapshot);
  section(
      out, style, "Operations",
      sampled ? sampled_operations(snapshot, style, width) : operations(snapshot, style, width));
  if (sampled)
    section(out, style, "Time by caller", sampled_edges(snapshot, style, width));
  else
    section(out, style, "Calls between components", edges(snapshot, style, width));
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
