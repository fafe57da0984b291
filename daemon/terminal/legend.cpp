// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "snapshot/doubt.h"
#include "snapshot/estimate_text.h"
#include "snapshot/heat_text.h"
#include "terminal/estimate_cells.h"
#include "terminal/order.h"
#include "terminal/parts.h"

namespace compmond::terminal {
namespace {

using snapshot::Component;
using snapshot::Estimated;

constexpr std::array<snapshot::TimeOf, 4> kTimes = {&Estimated::net_real_ns, &Estimated::cpu_ns,
                                                    &Estimated::waiting_ns, &Estimated::raw_ns};

// Which marks the lines of a table hold.
struct Marks {
  bool unsure = false, uncertain = false, missed_calls = false, lossy = false, open = false,
       partial = false, away = false, truncated = false, unproven = false, missed = false,
       counted = false, group = false, failed_more = false;
  bool estimated = false, bound = false, more = false, singles_seen = false,
       singles_uncertain = false;

  void add(const snapshot::Snapshot& snapshot, const Component& c) {
    const bool idle = is_idle(c.figures);
    const bool counts = !times_estimated(c.figures) && !only_groups(c);
    group |= only_groups(c);
    uncertain |= c.figures.uncertain && !idle && !only_counted(c);
    const bool none_told = c.figures.seen && !tells_calls(c.figures);
    missed_calls |= c.figures.seen && c.figures.at_least && !idle && !none_told;
    singles_uncertain |= single_uncertain(c.figures, c.figures.mean_ns) ||
                         single_uncertain(c.figures, c.figures.p99_ns);
    singles_seen |= c.figures.at_least && c.figures.calls > 0 && !only_counted(c);
    lossy |= c.figures.closed.lossy > 0;
    failed_more |= c.figures.closed.failed_at_least && c.figures.closed.failed > 0;
    unsure |= ends_unsure(c.figures);
    open |= c.figures.open > 0;
    const bool refused = std::ranges::any_of(c.operations, [](const snapshot::Operation& o) {
      return o.exit_mode == snapshot::ExitMode::kRefused;
    });
    if (c.status == snapshot::Status::kPartial) (refused ? partial : away) |= !only_groups(c);
    truncated |= c.figures.truncated > 0;
    missed |= violations(c.figures) > 0;
    unproven |= none_told || (counts && idle && !doubt_of_none(snapshot, c).empty());
    counted |= counts && !idle && only_counted(c);
    if (c.figures.estimated) add_estimates(c.figures);
    if (!only_groups(c)) return;
    const snapshot::Figures sum = figures_within(snapshot.components, c);
    missed_calls |= sum.at_least && tells_calls(sum);
    if (sum.estimated) add_estimates(sum);
  }

  void add_estimates(const snapshot::Figures& f) {
    const Estimated& e = *f.estimated;
    for (const snapshot::TimeOf time : kTimes) {
      if (!is_told(e, time) || tells_nothing(f, time)) continue;
      estimated = true;
      bound |= !is_value(e, time);
      more |= is_value(e, time) && at_least(e, time);
    }
  }
};

}  // namespace

bool sampled_at_all(const snapshot::Snapshot& snapshot) {
  return snapshot.health.samples && snapshot.health.samples->taken > 0;
}

Lines legend(const snapshot::Snapshot& snapshot, const Style& style, size_t width) {
  const bool rests = rests_on_samples(snapshot);
  const Totals sums = totals(snapshot);
  if (rests ? !sampled_at_all(snapshot) : sums.calls == 0 && sums.open == 0) return {};
  Marks marks;
  for (const Component& c : snapshot.components)
    if (c.status != snapshot::Status::kRefused) marks.add(snapshot, c);
  std::vector<Segment> said;
  const auto say = [&](bool present, const char* text, Ink ink) {
    if (present) said.push_back({text, ink});
  };
  say(rests, "estimated from samples, ± with 95 % confidence", Ink::kQuiet);
  say(!rests && marks.estimated,
      "on CPU and waiting: estimated from samples, ± with 95 % confidence", Ink::kQuiet);
  say(marks.bound, "< too few samples for a value", Ink::kQuiet);
  if (marks.uncertain && !rests)
    said.push_back({fmt::format("~ uncertain: {}", why_uncertain(snapshot)), Ink::kAmber});
  say(marks.singles_uncertain, "~ mean, p99: over a third of it is what probes cost", Ink::kAmber);
  const bool both = marks.missed_calls && marks.more;
  say(both, "≥ may be more: calls not seen, cut stacks, tail calls, or unseen waits", Ink::kAmber);
  say(!both && marks.missed_calls, "≥ some calls were not seen", Ink::kAmber);
  say(!both && marks.more, "≥ may be more: cut stacks, tail calls, or unseen waits", Ink::kAmber);
  say(marks.failed_more, "failed ≥: exceptions were not watched all the while", Ink::kAmber);
  say(marks.singles_seen, "mean, p99: of the calls that were seen", Ink::kAmber);
  say(marks.unsure, "! times may be off: when some calls were left is known within bounds only",
      Ink::kAmber);
  say(marks.lossy, "! some ends were not seen: lost or detached", Ink::kAmber);
  say(marks.truncated, "^ too deep: some ends were not seen", Ink::kAmber);
  const bool unknown = marks.partial && rests;
  say(unknown && marks.away, "◐ probes of some operations are away, or nothing tells of them",
      Ink::kAmber);
  say(unknown && !marks.away, "◐ nothing tells of some operations", Ink::kAmber);
  say(marks.partial && !rests, "◐ some not attached", Ink::kAmber);
  say(marks.away && !unknown, "◐ probes of some are away", Ink::kAmber);
  say(marks.unproven, "? no call seen, which proves nothing here", Ink::kAmber);
  say(marks.missed, "▲ objective missed", Ink::kRed);
  say(marks.open, "▸ running now", Ink::kQuiet);
  say(marks.counted, "– counted, not timed", Ink::kQuiet);
  say(marks.group, "Σ sum of the components below", Ink::kQuiet);
  if (const std::string floor = floor_text(snapshot); !floor.empty())
    said.push_back({floor, Ink::kQuiet});
  return flow(style, said, width);
}

}  // namespace compmond::terminal
