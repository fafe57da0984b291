// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "text/clean.h"
#include "text/match.h"
#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/model/inside_link.h"
#include "ui/views/inside/inside.h"
#include "ui/views/shared/estimated.h"
#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

using snapshot::Estimated;

constexpr const char* kMeaning =
    "From samples: stacks that were looked at while threads ran or waited. Own is the time in "
    "which "
    "a function was innermost, total that in which it was anywhere inside. ± is half of the "
    "interval that holds the true value 95 times of 100; below 5 samples only an upper bound is "
    "told.";

}  // namespace

bool InsideView::contains_others(const Model& model) const {
  return std::ranges::any_of(model.snapshot->components, [&](const auto& other) {
    return other.parent && *other.parent == component_;
  });
}

// To what is around it, and to what it has in itself alone.
void InsideView::draw_ways(Controls& controls, Model& model) {
  const auto* component = model.component(component_);
  if (!component) return;
  if (!operation_.empty()) {
    controls.gap();
    if (controls.link("all of " + text::clean(text::leaf(component_)),
                      "Looks into the component, not into this operation alone."))
      show_inside(model, component_, "");
  } else {
    if (contains_others(model)) {
      controls.gap();
      draw_switch(controls, model, kAlone,
                  {"with all inside", "with all inside", "with the components that it contains"},
                  {"alone", "alone", "without the components that it contains"});
    }
    if (component->parent) {
      controls.gap();
      if (controls.link("all of " + text::clean(text::leaf(*component->parent)),
                        "Looks into the component around it."))
        show_inside(model, *component->parent, "");
    }
  }
}

std::vector<NotePart> InsideView::note(const Model& model) const {
  std::string part = text::clean(component_);
  if (!operation_.empty()) part += "  " + short_operation(operation_);
  if (by_default_) part += " (nothing is selected)";
  const snapshot::Inside& inside = *this->inside();
  const Estimated total = snapshot::estimated_of(inside.total);
  std::vector<NotePart> out{
      {fmt::format("{}: {}", part, estimate_text(total, &Estimated::net_real_ns)), false}};
  const auto& health = model.snapshot->health.samples;
  if (waits()) out.push_back({where_text(total, health), false});
  out.push_back({fmt::format("{} of {}", text::count(inside.total.samples),
                             text::counted(inside.taken, "sample")),
                 false});
  out.push_back({analysed_window(model, *shown_), false});
  if (!waits()) out.push_back({"waiting was not sampled", true});
  if (inside.total.samples < snapshot::kFewSamples)
    out.push_back({"too few samples for values", true});
  if (!inside.complete) out.push_back({"only the newest samples are kept in full", true});
  if (inside.without_stack > 0)
    out.push_back(
        {text::counted(inside.without_stack, "sample") + " whose stack was forgotten", true});
  if (const std::string cut = cut_text(inside); !cut.empty()) out.push_back({cut, false});
  if (inside.lost > 0) out.push_back({text::counted(inside.lost, "sample") + " lost", true});
  if (inside.folded > 0)
    out.push_back({text::counted(inside.folded, "path") + " too many, cut", true});
  if (shown_->left_out > 0)
    out.push_back({fmt::format("{} more not shown", text::count(shown_->left_out)), true});
  return out;
}

float InsideView::draw_controls(const Canvas& canvas, Model& model) {
  Controls controls(canvas);
  draw_switch(controls, model, kCallers,
              {"callees (O)", "callees", "what its functions call, from its outermost one on"},
              {"callers (O)", "callers", "who calls it, outwards to the thread's first function"});
  controls.gap();
  draw_switch(controls, model, kIcicle,
              {"flame graph (V)", "flame graph", "grows upwards from the part"},
              {"icicle (V)", "icicle", "hangs down from the part"});
  controls.gap();
  draw_choice(controls, model, kBy,
              {{"functions (E)", "by function", "a row for each function"},
               {"files", "by file", "a row for each file of code: the program, a library"},
               {"whose", "by whose code it is",
                "a row each for the program's own code, libraries, the kernel"}});
  if (waits()) {
    controls.gap();
    draw_choice(
        controls, model, kTime,
        {{"both (M)", "on CPU and waiting", "all of the time counts"},
         {"on CPU", "on CPU", "only the time on a CPU counts"},
         {"waiting", "waiting", "only time off the CPU counts: blocked, or waiting for one"}});
  }
  draw_ways(controls, model);
  if (pane_.zoomed()) {
    controls.gap();
    if (controls.link("zoom out (Esc)", "Back to what was shown before the last click."))
      pane_.back();
  }
  if (!inside()) return draw_note(canvas, controls, {}, "");
  return draw_note(canvas, controls, note(model), kMeaning);
}

bool InsideView::draw_absence(const Canvas& canvas, const Model& model) const {
  const auto say = [&](const std::string& sentence, const std::string& advice) {
    draw_empty(canvas.list, canvas.theme, canvas.min, canvas.max, sentence, advice);
    return true;
  };
  if (!has_samples(model))
    return say("This run has no samples, which tell functions.",
               model.run.replay ? "Record one with --samples HZ, and without --engine."
                                : "Run with --samples HZ, and without --engine.");
  const std::string part = text::clean(operation_.empty() ? component_ : operation_);
  if (!can_ask(model))
    return say(fmt::format("There is no '{}' in this run.", part),
               "Double click a component in Map, Table or Timing, or select one and press G.");
  if (!inside()) return say("Waiting for the samples of this window.", "");
  if (inside()->total.samples > 0) return false;
  if (inside()->taken == 0)
    return say("There is no sample in this window.",
               "The program did nothing, or its first second is not over. A longer window (+) may "
               "have some.");
  return say(fmt::format("None of the {} of this window met {}.",
                         text::counted(inside()->taken, "sample"), part),
             inside()->complete
                 ? "A longer window (+) may have some."
                 : "The window begins before the oldest sample that is kept in full: one closer to "
                   "now (L) may have some.");
}

}  // namespace compmond::ui
