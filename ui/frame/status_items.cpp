// SPDX-License-Identifier: Apache-2.0
#include "ui/frame/status_items.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "snapshot/doubt.h"
#include "snapshot/strangers_text.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/model/run_time.h"
#include "ui/model/switching.h"
#include "ui/views/shared/definitions.h"

namespace compmond::ui {
namespace {

std::string behind_text(const Model& model) {
  if (!model.run.live || !model.snapshot || samples_behind_ns(*model.snapshot) == 0) return {};
  const uint64_t known = model.snapshot->health.samples->known_until_ns, now = model.now_ns();
  return fmt::format(", samples to {} ago", text::moment(double(now - std::min(now, known)), 1e8));
}

std::string targets_end_text(const Model& model) {
  const auto& targets = model.snapshot->targets;
  const auto last = std::ranges::max_element(
      targets, {}, [](const auto& target) { return target.ended_ns.value_or(0); });
  std::string out = targets.size() == 1 ? "target " + end_text(*last) : "targets ended";
  if (last->ended_ns && *last->ended_ns >= model.run.start_ns)
    out += " at " + moment_text(model, *last->ended_ns, 1e8);
  return out;
}

std::string last_answer_text(const Model& model) {
  if (model.heard_wall_s <= 0) return {};
  return fmt::format(", last answer {}, {}", text::time_of_day(model.heard_wall_s),
                     text::ago(model.clock_s - model.heard_s));
}

std::string names(const std::vector<std::string>& all) {
  constexpr size_t kNamed = 8;
  std::string out;
  for (size_t i = 0; i < std::min(all.size(), kNamed); ++i)
    out += (i ? ", " : "") + text::clean(all[i]);
  if (all.size() > kNamed) out += fmt::format(" and {} more", all.size() - kNamed);
  return out;
}

StatusItem item(std::string text, ImU32 colour, int weight, Term term, std::string more = {}) {
  const Definition& def = definition(term);
  std::string hover(def.text);
  if (!more.empty()) hover = more + "\n" + hover;
  return {std::move(text), colour, weight, std::string(def.title), std::move(hover)};
}

StatusItem link_item(const Theme& theme, const Model& model) {
  switch (model.link.state) {
    case Link::State::kConnecting:
      return {"connecting", theme.amber, kNews, "connection", model.link.address, true};
    case Link::State::kLost:
      return {
          (model.link.parted ? "compmond has ended" : "no connection") + last_answer_text(model),
          theme.amber,
          kNews,
          "connection",
          model.link.reason + "\nThe figures are the last ones that arrived.",
          true};
    case Link::State::kConnected:
      break;
  }
  const bool gone = model.snapshot && !model.snapshot->targets.empty() &&
                    std::none_of(model.snapshot->targets.begin(), model.snapshot->targets.end(),
                                 [](const auto& target) { return target.alive; });
  if (!model.run.live)
    return {model.run.replay ? "replay ended"
            : gone           ? targets_end_text(model)
                             : "ended",
            theme.amber,
            kNews,
            "run",
            "Nothing new arrives. Everything that was observed is still here.",
            true};
  const std::string behind = behind_text(model);
  if (model.window.live && !behind.empty())
    return {
        "live" + behind,
        theme.green,
        kNews,
        "live",
        "The window follows what samples tell: those of the newest second or so are not counted "
        "yet. Space pauses.",
        true,
        0,
        {},
        {{kShortLink, "live"}}};
  if (model.window.live)
    return {model.run.paused   ? "replay paused"
            : model.run.replay ? "replay"
                               : "live",
            model.run.paused ? theme.blue_text : theme.green,
            kNews,
            "live",
            "The window follows now. Space pauses.",
            true};
  const double since = (double(model.now_ns()) - double(model.window.end_ns)) / 1e9;
  return {fmt::format("paused, {}{}", text::ago(std::max(0.0, since)), behind),
          theme.blue_text,
          kNews,
          "paused",
          "The window stands still; observation goes on. L goes back to live.",
          true};
}

// Nothing else tells why figures stand still.
void add_paused_probes(std::vector<StatusItem>& items, const Theme& theme, const Model& model) {
  const std::string text = probes_paused_text(model);
  if (text.empty()) return;
  const char* resumes = may_switch(model) ? ": K resumes" : "";
  items.push_back(item(text + resumes, theme.blue_text, kNews, Term::kSwitchedOff,
                       "Somebody paused all probes: no call is seen."));
  items.back().shorter = {{kShortLink, std::string("probes paused") + resumes}};
}

void add_objectives(std::vector<StatusItem>& items, const Theme& theme, const Model& model) {
  const auto& slo = model.snapshot->slo;
  if (!slo) return;
  const uint64_t all = slo->since_start + slo->violating_now;
  if (all == 0 && slo->unjudged.empty())
    return items.push_back(item("objectives kept", theme.dim, 42, Term::kViolations));
  if (all > 0) {
    StatusItem& news = items.emplace_back(
        item(fmt::format("▲ missed {}", text::short_count(double(all))), theme.red, kNews,
             Term::kViolations,
             fmt::format("{} since the start, {} in this window, {} running.", text::count(all),
                         text::count(slo->violations + slo->violating_now),
                         text::count(slo->violating_now))));
    if (!slo->newest.empty()) news.component = slo->newest.front().component;
  }
  if (!slo->unjudged.empty())
    items.push_back(item(fmt::format("{} not held to objectives", slo->unjudged.size()),
                         theme.amber, 55, Term::kObjective,
                         "Refused or not timed: " + names(slo->unjudged)));
}

void add_busy(std::vector<StatusItem>& items, const Theme& theme, const snapshot::Health& health) {
  const std::string note = text::clean(std::string(busy_note(health)));
  if (note.empty()) return;
  const std::string hover = fmt::format("{}\nAway: {}", note, names(health.throttled));
  items.push_back({note, theme.text, kNews, "busy", hover});
  items.back().shorter = shorter_busy(note);
}

// What there is where probes are.
void add_records(std::vector<StatusItem>& items, const Theme& theme, const Model& model) {
  const auto& health = model.snapshot->health;
  if (!model.frozen())
    items.push_back(
        item(fmt::format("{} events/s", text::count(uint64_t(model.run.events_per_s + 0.5))),
             theme.text, 50, Term::kEvents));
  if (health.lost > 0)
    items.push_back(
        item(fmt::format("lost {}", text::short_count(double(health.lost))), theme.amber, kNews,
             Term::kLost,
             fmt::format("{} of {} records.", text::count(health.lost), text::count(health.hits))));
  else
    items.push_back(item("lost 0", theme.dim, 40, Term::kLost));
  if (!health.throttled.empty() && busy_note(health).empty())
    items.push_back(item(fmt::format("{} throttled", health.throttled.size()), theme.amber, kNews,
                         Term::kThrottled, names(health.throttled)));
  if (!health.balanced)
    items.push_back(item("accounts do not hold", theme.amber, kNews, Term::kBalanced));
  if (is_import(health)) return;  // what its probes cost is not known
  const auto& checked = health.overhead_checked;
  const bool doubt = checked && checked->doubt;
  std::string told;  // beside the definition
  if (checked)
    told =
        fmt::format("Of the newest {}{}: {} charged, {} seen by samples.",
                    text::duration(double(checked->end_ns - checked->start_ns)),
                    health.sliced ? ", without slices" : "", text::percent(checked->by_costs_pct),
                    text::percent(checked->by_samples_pct));
  if (const auto& strangers = health.strangers)
    told += fmt::format("{}{} that nobody observes: {} more.", told.empty() ? "" : "\n",
                        strangers_text(*strangers), strangers_cost_text(*strangers));
  items.push_back(item(fmt::format("overhead {} since start", text::percent(health.overhead_pct)),
                       doubt ? theme.amber : theme.text, doubt ? kNews : 45, Term::kOverhead,
                       told));
}

void add_samples(std::vector<StatusItem>& items, const Theme& theme,
                 const snapshot::SamplesHealth& samples) {
  items.push_back(item(fmt::format("{} samples", text::count(samples.taken)), theme.text, 50,
                       Term::kSamples, text::hertz(samples.hz) + " on CPU."));
  if (samples.lost > 0)
    items.push_back(item(fmt::format("lost {}", text::short_count(double(samples.lost))),
                         theme.amber, kNews, Term::kSamplesLost));
  else
    items.push_back(item("lost 0", theme.dim, 40, Term::kSamplesLost));
  if (!sees_all_waiting(samples))
    items.push_back(
        item(fmt::format("waiting sampled {}", text::percent(100 * samples.off_cpu_share)),
             theme.amber, kNews, Term::kOffCpuShare));
  if (const std::string elsewhere = elsewhere_text(samples); !elsewhere.empty())
    items.push_back(item(elsewhere, theme.text, 44, Term::kElsewhere));
}

void add_health(std::vector<StatusItem>& items, const Theme& theme, const Model& model) {
  const auto& health = model.snapshot->health;
  const bool sampled = knows_no_calls(*model.snapshot) && health.samples;
  if (is_import(health))
    items.push_back(item(text::counted(health.operations(), "operation") + " in the log",
                         theme.text, 60, Term::kInLog));
  else
    items.push_back(
        item(fmt::format("{} {} of {} operations", sampled ? "sampled" : "attached",
                         text::count(health.attached), text::count(health.operations())),
             health.attached == 0 && health.disabled.empty() ? theme.amber : theme.text, 60,
             sampled ? Term::kSampled : Term::kAttached));
  if (!health.refused.empty()) {
    const auto& first = health.refused.front();
    std::string hover = text::clean(first.symbol) + ": " + text::clean(first.reason);
    if (health.refused.size() > 1)
      hover += fmt::format("\nand {} more; see Health (H)", health.refused.size() - 1);
    items.push_back(item(fmt::format("{} refused", text::count(health.refused.size())), theme.amber,
                         kNews, Term::kRefused, hover));
  }
  if (!health.disabled.empty() && !health.probes_paused)
    items.push_back(item(fmt::format("{} switched off", text::count(health.disabled.size())),
                         theme.text, 58, Term::kSwitchedOff, names(health.disabled)));
  if (sampled) {
    add_samples(items, theme, *health.samples);
    if (!model.frozen() && writes_no_target(health))
      items.push_back({"no probe placed", theme.green, 45, "overhead",
                       "The program's code is as it was: its stacks are looked at from outside."});
  } else {
    add_records(items, theme, model);
  }
  const size_t said = busy_note(health).empty() ? 0 : 1;
  if (health.notes.size() > said)
    items.push_back({text::counted(health.notes.size() - said, "note"),
                     is_import(health) ? theme.text : theme.amber, kNews, "notes",
                     names({health.notes.begin() + ptrdiff_t(said), health.notes.end()})});
  const double age = since_start(model, model.run.now_ns);
  items.push_back(
      item(fmt::format("history {}, {}", text::duration(age), text::bytes(health.history_bytes)),
           theme.dim, 20, Term::kHistory));
}

}  // namespace

std::vector<StatusItem> status_items(const Theme& theme, const Model& model) {
  std::vector<StatusItem> items{link_item(theme, model)};
  if (!model.snapshot) return items;
  add_paused_probes(items, theme, model);
  add_objectives(items, theme, model);
  add_busy(items, theme, model.snapshot->health);
  add_health(items, theme, model);
  return items;
}

}  // namespace compmond::ui
