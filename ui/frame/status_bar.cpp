// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "snapshot/doubt.h"
#include "snapshot/strangers_text.h"
#include "text/clean.h"
#include "text/numbers.h"
#include "ui/frame/frame.h"
#include "ui/frame/run_texts.h"
#include "ui/frame/transport.h"
#include "ui/kit/draw.h"
#include "ui/model/run_time.h"
#include "ui/views/shared/busy_line.h"
#include "ui/views/shared/definitions.h"

namespace compmond::ui {
namespace {

struct Item {
  std::string text;
  ImU32 colour;
  int weight;  // the lighter gives way first; bad news never does
  std::string hover_title, hover_text;
  bool dot = false;
  float width = 0;
  std::string component = {};         // that a click selects; empty: it shows Health
  std::vector<Shorter> shorter = {};  // that it may take to, one after the other
};

constexpr int kNews = 100;  // never left out

Item item(std::string text, ImU32 colour, int weight, Term term, std::string more = {}) {
  const Definition& def = definition(term);
  std::string hover(def.text);
  if (!more.empty()) hover = more + "\n" + hover;
  return {std::move(text), colour, weight, std::string(def.title), std::move(hover)};
}

Item link_item(const Theme& theme, const Model& model) {
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

void add_objectives(std::vector<Item>& items, const Theme& theme, const Model& model) {
  const auto& slo = model.snapshot->slo;
  if (!slo) return;
  const uint64_t all = slo->since_start + slo->violating_now;
  if (all == 0 && slo->unjudged.empty())
    return items.push_back(item("objectives kept", theme.dim, 42, Term::kViolations));
  if (all > 0) {
    Item& news = items.emplace_back(
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

void add_busy(std::vector<Item>& items, const Theme& theme, const snapshot::Health& health) {
  const std::string note = text::clean(std::string(busy_note(health)));
  if (note.empty()) return;
  const std::string hover = fmt::format("{}\nAway: {}", note, names(health.throttled));
  items.push_back({note, theme.text, kNews, "busy", hover});
  items.back().shorter = shorter_busy(note);
}

// What there is where probes are.
void add_records(std::vector<Item>& items, const Theme& theme, const Model& model) {
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

void add_samples(std::vector<Item>& items, const Theme& theme,
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

void add_health(std::vector<Item>& items, const Theme& theme, const Model& model) {
  const auto& health = model.snapshot->health;
  const bool sampled = knows_no_calls(*model.snapshot) && health.samples;
  items.push_back(item(fmt::format("{} {} of {} operations", sampled ? "sampled" : "attached",
                                   text::count(health.attached), text::count(health.operations())),
                       health.attached == 0 ? theme.amber : theme.text, 60,
                       sampled ? Term::kSampled : Term::kAttached));
  if (!health.refused.empty()) {
    const auto& first = health.refused.front();
    std::string hover = text::clean(first.symbol) + ": " + text::clean(first.reason);
    if (health.refused.size() > 1)
      hover += fmt::format("\nand {} more; see Health (H)", health.refused.size() - 1);
    items.push_back(item(fmt::format("{} refused", text::count(health.refused.size())), theme.amber,
                         kNews, Term::kRefused, hover));
  }
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
    items.push_back({text::counted(health.notes.size() - said, "note"), theme.amber, kNews, "notes",
                     names({health.notes.begin() + ptrdiff_t(said), health.notes.end()})});
  const double age = since_start(model, model.run.now_ns);
  items.push_back(
      item(fmt::format("history {}, {}", text::duration(age), text::bytes(health.history_bytes)),
           theme.dim, 20, Term::kHistory));
}

// The item that next takes to what says less; null: none does any more.
Item* next_to_shorten(std::vector<Item>& items) {
  Item* next = nullptr;
  for (Item& one : items)
    if (!one.shorter.empty() && (!next || one.shorter[0].rank < next->shorter[0].rank)) next = &one;
  return next;
}

float total_width(const std::vector<Item>& items, float gap) {
  float sum = 0;
  for (const Item& one : items) sum += one.width + gap;
  return sum;
}

}  // namespace

void draw_status_bar(const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  draw_ground(canvas.list, canvas.min, canvas.max,
              mix(theme.panel, from_rgb(0), theme.dark ? 0.3f : 0.04f));
  std::vector<Item> items{link_item(theme, model)};
  if (model.snapshot) {
    add_objectives(items, theme, model);
    add_busy(items, theme, model.snapshot->health);
    add_health(items, theme, model);
  }
  const float left = draw_transport(canvas, model);
  items.push_back({"? keys · S snapshot · space pause", theme.dim, 10, "", ""});

  const float gap = theme.px(canvas.width() < theme.px(1000) ? 16 : 26), dot = theme.px(14);
  ImFont* font = theme.body;
  const auto measure = [&](Item& one) {
    one.width = text_size(font, one.text).x + (one.dot ? dot : 0);
  };
  for (Item& one : items) measure(one);
  const float room = canvas.max.x - left - theme.px(32) + gap;
  while (total_width(items, gap) > room) {
    const auto lightest =
        std::min_element(items.begin(), items.end(),
                         [](const Item& a, const Item& b) { return a.weight < b.weight; });
    if (lightest->weight < kNews) {
      items.erase(lightest);
    } else if (Item* const one = next_to_shorten(items)) {
      one->text = one->shorter.front().text;
      one->shorter.erase(one->shorter.begin());
      measure(*one);
    } else {
      break;
    }
  }
  const float shrink = std::min(1.f, room / std::max(1.f, total_width(items, gap)));
  const float y = (canvas.min.y + canvas.max.y - font->FontSize) / 2;
  float x = left + theme.px(16);
  for (const Item& one : items) {
    const bool keys = one.weight == 10;
    const float width = one.width * shrink;
    const float at = keys ? canvas.max.x - theme.px(16) - width : x;
    float text_x = at;
    if (one.dot) {
      canvas.list->AddCircleFilled({at + theme.px(4), (canvas.min.y + canvas.max.y) / 2},
                                   theme.px(4), one.colour);
      text_x += dot;
    }
    draw_text(canvas.list, font, {text_x, y}, one.colour, one.text,
              width - (one.dot ? dot : 0) + 1);
    if (!one.hover_title.empty() &&
        ImGui::IsMouseHoveringRect({at, canvas.min.y}, {at + width, canvas.max.y}) &&
        ImGui::IsWindowHovered()) {
      tooltip(theme, one.hover_title, one.hover_text);
      if (ImGui::IsMouseClicked(0)) {
        if (one.component.empty())
          model.wishes.view = ViewId::kHealth;
        else
          model.selection = {one.component, "", {}};
      }
    }
    x += width + gap * shrink;
  }
}

}  // namespace compmond::ui
