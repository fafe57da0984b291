// SPDX-License-Identifier: Apache-2.0
#include "ui/views/health/cards.h"

#include <fmt/format.h>

#include <algorithm>

#include "snapshot/estimate_text.h"
#include "snapshot/strangers_text.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/views/shared/definitions.h"

namespace compmond::ui {
namespace {

constexpr size_t kFiles = 5;     // of what is elsewhere
constexpr size_t kListed = 200;  // of refused operations; the rest is counted

}  // namespace

std::string part_text(uint64_t count, const snapshot::SamplesHealth& samples) {
  return text::percent(100 * double(count) / double(std::max<uint64_t>(1, samples.taken)));
}

void draw_samples(CardColumn& column, const snapshot::SamplesHealth& samples) {
  column.card("Samples", [&] {
    column.figure(Term::kSamples, text::count(samples.taken));
    column.figure(Term::kSamplesHz, text::hertz(samples.hz));
    column.figure(Term::kSamplesLost, text::count(samples.lost), samples.lost > 0);
    column.figure(Term::kOffCpuShare, text::percent(100 * samples.off_cpu_share),
                  !sees_all_waiting(samples));
    const auto cut = [&](Term term, uint64_t count) {
      column.figure(term, fmt::format("{}, {}", text::count(count), part_text(count, samples)),
                    double(count) > kCutMost * double(samples.taken));
    };
    cut(Term::kTruncatedStacks, samples.truncated);
    cut(Term::kBrokenStacks, samples.broken);
  });
  column.card("Where the time was", [&] {
    column.figure(Term::kSampledCpu, text::duration(samples.cpu_ns));
    const auto elsewhere = [&](const char* label, const snapshot::Estimate& e, double whole) {
      const std::string part =
          whole > 0 ? ", " + text::percent(100 * std::min(1.0, e.value_ns / whole)) : "";
      column.figure(Term::kElsewhere, text::duration(e.value_ns) + part, false, label);
    };
    elsewhere("elsewhere, on CPU", samples.elsewhere_cpu_ns, samples.cpu_ns);
    elsewhere("elsewhere, waiting", samples.elsewhere_waiting_ns, samples.waiting_ns);
    for (size_t i = 0; i < std::min(samples.elsewhere_by_image.size(), kFiles); ++i) {
      const auto& one = samples.elsewhere_by_image[i];
      column.figure(Term::kElsewhere,
                    fmt::format("{}, {} waiting", text::duration(one.cpu_ns.value_ns),
                                text::duration(one.waiting_ns.value_ns)),
                    false, "   " + image_label(one));
    }
  });
}

void draw_records(CardColumn& column, const snapshot::Health& health, const Model& model) {
  column.card("Records", [&] {
    column.figure(Term::kHits, text::count(health.hits));
    column.figure(Term::kLost, text::count(health.lost), health.lost > 0);
    if (health.lost_ring > 0)
      column.figure(Term::kLost, text::count(health.lost_ring), true,
                    "   buffer full (of probes: --ring)");
    if (health.lost_slots > 0)
      column.figure(Term::kLost, text::count(health.lost_slots), true,
                    "   more threads than slots");
    if (health.lost_refused > 0)
      column.figure(Term::kLost, text::count(health.lost_refused), true, "   not to be believed");
    if (health.pending > 0) column.figure(Term::kPending, text::count(health.pending));
    column.figure(Term::kEvents, text::count(uint64_t(model.run.events_per_s + 0.5)));
    column.figure(Term::kBalanced, health.balanced ? "hold" : "do not hold", !health.balanced);
  });
  column.card("Executions", [&] {
    column.figure(Term::kOpen, text::count(health.open));
    if (health.failed > 0)
      column.figure(Term::kFailed,
                    (health.failed_at_least ? "≥" : "") + text::count(health.failed));
    column.figure(Term::kAbandoned,
                  text::count(health.abandoned - std::min(health.abandoned, health.failed)));
    column.figure(Term::kOrphans, text::count(health.orphan_exits));
    column.figure(Term::kClamped, text::count(health.clamped));
    column.figure(Term::kEvicted, text::count(health.evicted), health.evicted > 0);
    column.figure(Term::kStackSwitches, text::count(health.stack_switches));
  });
}

void draw_cost(CardColumn& column, const snapshot::Health& health, const Model& model) {
  const Theme& theme = column.theme;
  const bool probes = !knows_no_calls(*model.snapshot);
  column.card(is_import(health) ? "History" : "Cost", [&] {
    if (probes && !is_import(health)) {
      const auto& checked = health.overhead_checked;
      column.figure(Term::kOverhead, text::percent(health.overhead_pct), checked && checked->doubt);
      if (checked) {
        // Of one interval both, or what changed in the run would look like a difference.
        column.figure(Term::kOverhead, text::percent(checked->by_costs_pct), checked->doubt,
                      "   of the newest " +
                          text::duration(double(checked->end_ns - checked->start_ns)) +
                          (health.sliced ? ", without slices" : ""));
        column.figure(Term::kOverhead,
                      fmt::format("{} ± {:.1f}", text::percent(checked->by_samples_pct),
                                  (checked->high_pct - checked->low_pct) / 2),
                      checked->doubt, "   as samples see that");
      }
    }
    if (const auto& strangers = health.strangers) {
      const std::string time = text::duration(strangers->cost_ns);
      column.figure(Term::kStrangers,
                    strangers->cost_pct ? text::percent(*strangers->cost_pct) + ", " + time : time,
                    !strangers->cost_pct);
      column.figure(Term::kStrangers, text::count(strangers->calls), false,
                    "   calls of " + strangers_text(*strangers));
    }
    if (writes_no_target(health) && !is_import(health))
      column.text(theme.green, "No probe placed: the program's code is as it was.");
    column.figure(Term::kHistory,
                  fmt::format("{}, {}", text::duration(since_start(model, model.run.now_ns)),
                              text::bytes(health.history_bytes)));
    if (!probes || health.probe_cost.empty()) return;
    column.y += column.px(6);
    const float outside = column.inner_right(), inside = outside - column.px(84);
    draw_text(column.canvas.list, theme.small, {column.inner(), column.y}, theme.dim, "a probe on");
    draw_text_right(column.canvas.list, theme.small, {inside, column.y}, theme.dim, "inside");
    draw_text_right(column.canvas.list, theme.small, {outside, column.y}, theme.dim, "outside");
    column.y += theme.small->FontSize + column.px(3);
    for (const auto& cost : health.probe_cost) {
      const float top = column.y;
      draw_text(column.canvas.list, theme.body, {column.inner(), top}, theme.text,
                fmt::format("{}, {}", text::clean(cost.site), text::clean(cost.exit_mode.text())),
                inside - column.px(70) - column.inner());
      draw_text_right(column.canvas.list, theme.mono, {inside, top}, theme.strong,
                      text::duration(cost.inside_ns));
      draw_text_right(column.canvas.list, theme.mono, {outside, top}, theme.strong,
                      text::duration(cost.outside_ns));
      column.y += column.px(20);
      if (ImGui::IsWindowHovered() &&
          ImGui::IsMouseHoveringRect({column.left, top}, {column.right, column.y}))
        tooltip(theme, definition(Term::kProbeCost).title, definition(Term::kProbeCost).text);
    }
  });
}

// Of a log of Kieker.
void draw_hosts(CardColumn& column, const snapshot::Snapshot& snapshot) {
  column.card(snapshot.targets.size() == 1 ? "Host" : "Hosts", [&] {
    for (const auto& target : snapshot.targets)
      column.text(column.theme.text, text::clean(target.exe));
  });
}

void draw_target(CardColumn& column, const snapshot::Health& health, const Model& model) {
  const Theme& theme = column.theme;
  if (is_import(health)) return draw_hosts(column, *model.snapshot);
  column.card("Target", [&] {
    for (const auto& target : model.snapshot->targets) {
      const float top = column.y;
      const std::string pid = fmt::format("pid {}{}", target.pid, target.alive ? "" : ", ended");
      const float width = text_size(theme.mono, pid).x;
      draw_text(column.canvas.list, theme.body, {column.inner(), top}, theme.text,
                text::clean(target.exe),
                column.inner_right() - column.inner() - width - column.px(10));
      draw_text_right(column.canvas.list, theme.mono, {column.inner_right(), top},
                      target.alive ? theme.strong : theme.amber, pid);
      column.y += column.px(20);
      if (!target.estimated) continue;
      const auto& of = *target.estimated;
      column.text(
          theme.dim,
          fmt::format("on CPU {}, waiting {}", text::duration(of.cpu_ns ? of.cpu_ns->value_ns : 0),
                      snapshot::value_text(of, &snapshot::Estimated::waiting_ns)));
    }
    const auto& host = model.snapshot->host;
    std::string machine = text::clean(host.name);
    if (!host.kernel.empty()) machine += " · " + text::clean(host.kernel);
    if (host.cpus > 0) machine += " · " + text::counted(uint64_t(host.cpus), "CPU");
    if (!machine.empty()) column.text(theme.dim, machine);
    for (const snapshot::Health::Engine& engine : health.engines)
      column.text(theme.dim,
                  fmt::format("{}, by {}{}", text::clean(engine.name), text::clean(engine.attach),
                              engine.writes_target ? "" : ": writes nothing into it"));
  });
}

void draw_operations_lists(CardColumn& column, const snapshot::Health& health, bool probes) {
  const Theme& theme = column.theme;
  column.card("Operations", [&] {
    if (is_import(health)) return column.figure(Term::kInLog, text::count(health.operations()));
    column.figure(
        probes ? Term::kAttached : Term::kSampled,
        fmt::format("{} of {}", text::count(health.attached), text::count(health.operations())),
        health.attached == 0 && health.disabled.empty());
    column.figure(Term::kRefused, text::count(health.refused.size()), !health.refused.empty());
    if (probes)
      column.figure(Term::kThrottled, text::count(health.throttled.size()),
                    !health.throttled.empty());
  });
  if (!health.refused.empty())
    column.card("Refused, and why", [&] {
      for (size_t i = 0; i < std::min(health.refused.size(), kListed); ++i) {
        const auto& refused = health.refused[i];
        const std::string symbol = text::clean(refused.symbol);
        if (draw_text(column.canvas.list, theme.mono, {column.inner(), column.y}, theme.amber,
                      symbol, column.inner_right() - column.inner()) &&
            ImGui::IsMouseHoveringRect({column.left, column.y},
                                       {column.right, column.y + theme.mono->FontSize}))
          tooltip(theme, "", symbol);
        column.y += theme.mono->FontSize + column.px(1);
        column.text(theme.text, text::clean(refused.reason));
        column.y += column.px(3);
      }
      if (health.refused.size() > kListed)
        column.text(theme.dim, fmt::format("and {} more; the snapshot (S) has them all",
                                           text::count(health.refused.size() - kListed)));
    });
  if (!health.throttled.empty())
    column.card("Throttled", [&] {
      for (const std::string& name : health.throttled) {
        draw_text(column.canvas.list, theme.mono, {column.inner(), column.y}, theme.amber,
                  text::clean(name), column.inner_right() - column.inner());
        column.y += theme.mono->FontSize + column.px(3);
      }
      column.text(theme.dim,
                  "Their probes come back when it is quieter. --max-overhead sets the budget.");
    });
}

}  // namespace compmond::ui
