// SPDX-License-Identifier: Apache-2.0
#include "check/patching.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "check/table.h"
#include "inprocess/costs.h"
#include "text/clean.h"
#include "text/nearest.h"
#include "text/numbers.h"

namespace compmond::check {
namespace {

// With the ways of some engines alone.
plan::Plan part_of(plan::Plan plan, const std::function<bool(const plan::Way&)>& stays) {
  const auto keep = [&](auto& all) {
    for (auto& one : all)
      std::erase_if(one.ways, [&](const plan::Way& way) { return !stays(way); });
  };
  keep(plan.operations);
  keep(plan.transfers);
  return plan;
}

std::string entry_text(const plan::Way& way) {
  if (way.patches.empty()) return way.site;
  const std::string& kind = way.patches.front().kind;
  return way.moved_by ? fmt::format("{} +{}", kind, way.moved_by) : kind;
}

// "2 return, 1 tail-jump, 1 with the entry".
std::string exits_text(const plan::Way& way) {
  if (!way.timed()) return "not seen";
  std::map<std::string, uint32_t> by_kind;
  for (size_t i = 1; i < way.patches.size(); ++i)
    by_kind[way.patches[i].kind] += way.patches[i].exits;
  std::vector<std::string> out;
  for (const auto& [kind, count] : by_kind) out.push_back(fmt::format("{} {}", count, kind));
  if (const uint32_t joined = way.patches.empty() ? 0 : way.patches.front().exits)
    out.push_back(fmt::format("{} with the entry", joined));
  return out.empty() ? "none" : fmt::format("{}", fmt::join(out, ", "));
}

std::string otherwise_text(const Shown& beside, size_t i) {
  return fmt::format("{} {}", beside.way(i).engine,
                     beside.refused(i) ? "refused" : text::duration(beside.cost_ns(i)));
}

std::vector<std::string> cells_of(const Patching& patching, size_t i) {
  const Shown& own = patching.own;
  const std::string name = name_cell(own.plan.operations[i]);
  const std::string otherwise = otherwise_text(patching.beside, i);
  if (own.refused(i)) return {name, "refused", "", "", "", "", otherwise};
  uint32_t bytes = 0, instructions = 0;
  for (const plan::CodePatch& patch : own.way(i).patches) {
    bytes += patch.bytes;
    instructions += patch.instructions;
  }
  return {name,
          entry_text(own.way(i)),
          exits_text(own.way(i)),
          fmt::to_string(bytes),
          fmt::to_string(instructions),
          text::duration(own.cost_ns(i)),
          otherwise};
}

std::string table_text(const Patching& patching) {
  text::Table table({{"operation", false},
                     {"entry", false, 16},
                     {"exits", false},
                     {"bytes", true},
                     {"moved", true},
                     {"per call", true, 8},
                     {"otherwise", false},
                     {"", false}});
  Footnotes notes;
  for (size_t i = 0; i < patching.own.size(); ++i) {
    std::vector<std::string> cells = cells_of(patching, i);
    const std::string why = notes_on(patching.own, i);
    cells.push_back(notes.mark(patching.own.refused(i) ? inprocess::without_places(why) : why));
    table.add(std::move(cells));
  }
  return grouped(patching.own, table) + notes.text();
}

// The engines beside, by name.
std::string others_of(const Shown& beside) {
  std::set<std::string> names;
  for (size_t i = 0; i < beside.size(); ++i) names.insert(beside.way(i).engine);
  return text::listed(names);
}

std::string patches_text(const inprocess::Tally& tally) {
  if (tally.patched == 0)
    return fmt::format("0 of {} operations can be patched.\n", tally.functions);
  std::string out = fmt::format(
      "{} of {} operations can be patched: {} and {}; {} written over, {} executed elsewhere.\n",
      tally.patched, tally.functions, text::counted(tally.patched, "entry", "entries"),
      text::counted(tally.exits, "exit"), text::counted(tally.bytes, "byte"),
      text::counted(tally.instructions, "instruction"));
  for (const auto& [kind, count] : tally.kinds)
    out += fmt::format("  {:>6}  {:<22} {}\n", count, kind, inprocess::meaning(kind));
  if (tally.joined_exits)
    out += fmt::format("  {:>6}  {:<22} {}\n", tally.joined_exits, "with the entry",
                       "exits so near to the entry that its jump has room for both");
  return out;
}

// Of what is refused: what the others can observe.
size_t left_to_others(const Patching& patching) {
  size_t out = 0;
  for (size_t i = 0; i < patching.own.size(); ++i)
    out += patching.own.refused(i) && !patching.beside.refused(i);
  return out;
}

std::string refusals_text(const Patching& patching, const inprocess::Tally& tally) {
  if (tally.refused() == 0) return {};
  const size_t left = left_to_others(patching);
  std::string out = fmt::format("{} refused, of which {} can observe {}:\n", tally.refused(),
                                others_of(patching.beside),
                                left == 0                 ? "none"
                                : left == tally.refused() ? "all"
                                                          : text::count(left));
  for (const auto& [reason, count] : tally.refusals)
    out += fmt::format("  {:>6}  {}\n", count, text::clean(reason));
  return out;
}

struct Range {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  std::string text(std::string (*of)(double)) const {
    const std::string from = of(least), to = of(most);
    return from == to ? from : fmt::format("{} to {}", from, to);
  }
};

// Of what either could observe.
std::string costs_text(const Patching& patching) {
  constexpr double kCalls = 100'000;  // per second
  Range own, others;
  for (size_t i = 0; i < patching.own.size(); ++i)
    if (!patching.own.refused(i) && !patching.beside.refused(i)) {
      own.add(patching.own.cost_ns(i));
      others.add(patching.beside.cost_ns(i));
    }
  if (others.most == 0) return {};
  const auto share = [](double ns) { return text::percent(ns * kCalls / 1e7); };
  const bool measured = patching.own.costs.measured();
  return fmt::format(
      "A call {} {}, {}. By {} it costs {}, {}.\n"
      "At {} calls a second that is {} of a CPU beside {}.\n",
      measured ? "costs" : "is expected to cost", own.text(text::duration),
      measured ? inprocess::kMeasuredFrom : inprocess::kExpectedFrom, others_of(patching.beside),
      others.text(text::duration), known_how(patching.beside.costs), text::count(uint64_t(kCalls)),
      own.text(share), others.text(share));
}

// What to do, and what nobody knows yet.
std::string advice_text(const Patching& patching, const inprocess::Tally& tally) {
  const std::string others = others_of(patching.beside);
  std::string out;
  if (tally.refused() > 0)
    out += fmt::format("For what is refused: {}observe what calls it or what it calls.\n",
                       left_to_others(patching) ? fmt::format("leave it to {}, or ", others) : "");
  if (tally.patched > 0)
    out +=
        "Files were looked at, and who traces the processes. Whether one can be patched (it may "
        "map "
        "code, its filter lets that pass, it runs what is in its files) is known when that is "
        "tried.\n";
  return out + (tally.patched > 0
                    ? "Nothing was patched: --engine in-process --allow-patching does it.\n"
                    : "Nothing was patched.\n");
}

}  // namespace

Patching::Patching(const spec::Spec& spec, const plan::Plan& both, const std::string& engine,
                   plan::Costs costs, plan::Costs others)
    : own(spec, part_of(both, [&](const plan::Way& way) { return way.engine == engine; }),
          std::move(costs)),
      beside(spec, part_of(both, [&](const plan::Way& way) { return way.engine != engine; }),
             std::move(others)) {}

inprocess::Tally tally_of(const Shown& own) {
  inprocess::Tally out;
  for (size_t i = 0; i < own.size(); ++i) out.add(own.way(i));
  return out;
}

std::string to_text(const Patching& patching) {
  const inprocess::Tally tally = tally_of(patching.own);
  return fmt::format("{}\n{}{}{}{}", table_text(patching), patches_text(tally),
                     refusals_text(patching, tally), costs_text(patching),
                     advice_text(patching, tally));
}

}  // namespace compmond::check
