// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/empty.h"

#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/switching.h"
#include "ui/views/shared/estimated.h"

namespace compmond::ui {

namespace {

// The same of a run that rests on samples.
std::string no_samples_text(const snapshot::Snapshot& snapshot) {
  const auto& samples = snapshot.health.samples;
  const bool met = std::ranges::any_of(snapshot.components, [](const auto& component) {
    return component.figures.estimated && component.figures.estimated->samples > 0;
  });
  if (met || !samples) return {};
  if (samples->taken == 0)
    return "No sample in this window: the program did nothing, or its first second is not over.";
  return fmt::format(
      "None of the {} samples of this window met an operation of the spec: all of the time is "
      "elsewhere.",
      text::count(samples->taken));
}

}  // namespace

bool draw_empty_state(const Canvas& canvas, const Model& model) {
  const auto say = [&](const std::string& sentence, const std::string& advice) {
    draw_empty(canvas.list, canvas.theme, canvas.min, canvas.max, sentence, advice);
    return true;
  };
  if (!model.snapshot) {
    if (model.link.state == Link::State::kLost)
      return say("No connection.", text::clean(model.link.reason));
    return say("Waiting for the first figures.", "");
  }
  if (model.snapshot->components.empty())
    return say("The spec names no component.",
               "compmond suggest drafts one from the program's symbols.");
  const auto& health = model.snapshot->health;
  const bool none = std::all_of(
      model.snapshot->components.begin(), model.snapshot->components.end(),
      [](const auto& component) { return component.status == snapshot::Status::kRefused; });
  if (none && health.attached == 0) {
    const std::string why = health.refused.empty()
                                ? std::string("No operation of the spec could be observed.")
                                : fmt::format("{}: {}.", text::clean(health.refused.front().symbol),
                                              text::clean(health.refused.front().reason));
    const std::string pid = model.snapshot->targets.empty()
                                ? std::string("PID")
                                : std::to_string(model.snapshot->targets.front().pid);
    const std::string spec =
        model.snapshot->spec_path.empty() ? "FILE" : text::clean(model.snapshot->spec_path);
    return say("Nothing is attached.", fmt::format("{}\nHealth (H) lists all reasons. To check the "
                                                   "spec: compmond check --spec {} --pid {}",
                                                   why, spec, pid));
  }
  return false;
}

std::string no_calls_text(const Model& model) {
  if (!model.snapshot) return {};
  if (knows_no_calls(*model.snapshot)) return no_samples_text(*model.snapshot);
  const auto& components = model.snapshot->components;
  const bool calls = std::any_of(components.begin(), components.end(), [](const auto& component) {
    return component.figures.calls > 0 || component.figures.open > 0 ||
           component.figures.real_ns > 0;
  });
  if (calls) return {};
  if (const std::string paused = probes_paused_text(model); !paused.empty())
    return fmt::format("All {}: no call is seen.", paused);
  if (model.snapshot->health.attached == 0) return {};
  std::string text = fmt::format("Attached to {} operations, none called in this window.",
                                 text::count(model.snapshot->health.attached));
  // When there was a last one: the time scale's newest column with activity.
  if (model.strip && model.strip->columns > 0) {
    const auto& strip = *model.strip;
    size_t last = 0;
    for (const auto& row : strip.real_ns)
      for (size_t c = row.size(); c > last; --c)
        if (row[c - 1] > 0) {
          last = c;
          break;
        }
    if (last > 0) {
      const double end = double(strip.start_ns) +
                         double(strip.end_ns - strip.start_ns) * double(last) / strip.columns;
      text += fmt::format(" The last activity was {}.",
                          text::ago((double(model.now_ns()) - end) / 1e9));
    }
  }
  return text;
}

void draw_no_single_calls(const Canvas& canvas, const Model& model, const char* view) {
  std::string instead;
  for (const auto& engine : model.snapshot->health.engines)
    instead +=
        (instead.empty() ? ", that is without --engine " : " or ") + text::clean(engine.name);
  draw_empty(canvas.list, canvas.theme, canvas.min, canvas.max, kNoSingleCalls,
             fmt::format("{} shows calls one by one: run with probes for it{}. Map (1) and Table "
                         "(3) show where the time goes.",
                         view, instead));
}

std::string metric_text(const Model& model) {
  if (!model.snapshot || !rests_on_samples(*model.snapshot)) return {};
  const auto& metrics = model.hello.metrics;
  const auto found =
      std::ranges::find(metrics, model.snapshot->metric, &snapshot::Hello::Metric::name);
  if (found == metrics.end() || !found->needs_calls) return {};
  return fmt::format("'{}' needs calls, which {}: nothing is hot by it", text::clean(found->name),
                     what_calls_lack(*model.snapshot));
}

}  // namespace compmond::ui
