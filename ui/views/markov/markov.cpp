// SPDX-License-Identifier: Apache-2.0
#include "ui/views/markov/markov.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "text/numbers.h"
#include "ui/kit/draw.h"
#include "ui/views/shared/definitions.h"
#include "ui/views/shared/empty.h"

namespace compmond::ui {
namespace {

constexpr const char* kThreshold = "Markov/threshold";
constexpr double kFirstThreshold = 1, kLargestThreshold = 50;   // percent
constexpr std::array kSteps = {0., 1., 2., 5., 10., 20., 50.};  // of the keys

double threshold(const Model& model) {  // percent
  return std::clamp(model.settings.option(kThreshold, kFirstThreshold), 0.0, kLargestThreshold);
}

}  // namespace

MarkovView::MarkovView()
    : GraphView({snapshot::Report::kMarkov,
                 1'000,
                 {"Markov/operations"},
                 std::nullopt,
                 "states",
                 "messages between components and within them",
                 "messages between operations"}) {}

void MarkovView::forget() {
  data_ = {};
  chosen_ = -1;
}

void MarkovView::draw_threshold(Controls& controls, const Canvas& canvas, Model& model) {
  const Theme& theme = canvas.theme;
  const std::string label = fmt::format("probability at least {:.1f} %", threshold(model));
  // As wide for every value.
  const float words = text_size(theme.body, "probability at least 50.0 %").x + canvas.px(8);
  const float slider = canvas.px(110);
  controls.gap();
  const ImVec2 at = controls.room(words + slider);
  draw_text(canvas.list, theme.body, {at.x, at.y + (controls.height() - theme.body->FontSize) / 2},
            theme.dim, label);
  ImGui::SetCursorScreenPos({at.x + words, at.y});
  ImGui::SetNextItemWidth(slider);
  auto percent = float(threshold(model));
  if (ImGui::SliderFloat("##threshold", &percent, 0, float(kLargestThreshold), "",
                         ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_NoInput))
    model.settings.options[kThreshold] = percent < 0.05f ? 0 : double(percent);
  if (ImGui::IsItemHovered() && !ImGui::IsItemActive())
    tooltip(theme, "threshold (B, N)", definition(Term::kThreshold).text);
}

float MarkovView::draw_controls(const Canvas& canvas, Model& model) {
  Controls controls(canvas);
  draw_level(controls, model);
  draw_threshold(controls, canvas, model);
  draw_placing(controls);
  draw_traces_link(controls, model);
  std::string more;
  if (hidden_ > 0 && answer_.view())
    more = fmt::format("{} of {} transitions are less likely and hidden", text::count(hidden_),
                       text::count(answer_.view()->as<snapshot::Markov>()->transitions.size()));
  return draw_analysis_note(canvas, controls, model, answer_.view(), "all traces", more);
}

void MarkovView::choose_lines(const Model& model) {
  const double least = threshold(model) / 100;
  const auto below = [&](double probability, uint64_t count) {
    return count > 0 && probability < least;
  };
  shown_lines_.assign(pane_.graph().edges.size(), 0);
  hidden_ = 0;
  for (size_t e = 0; e < data_.transitions.size(); ++e) {
    const auto& transition = data_.transitions[e];
    hidden_ += below(transition.probability, transition.count);
    if (e < shown_lines_.size())
      shown_lines_[e] = transition.count > 0 && transition.probability >= least;
  }
  for (const auto& state : data_.states) hidden_ += below(state.itself, state.itself_count);
}

void MarkovView::draw(const Canvas& canvas, Model& model) {
  if (draw_empty_state(canvas, model)) return;
  take(model);
  if (answer_.view()) place(canvas, model);
  choose_lines(model);
  const float top = draw_controls(canvas, model);
  if (draw_no_analysis(canvas, {canvas.min.x, top}, canvas.max, model, answer_.view(), {})) return;
  if (chosen_ >= 0 && !data_.states[size_t(chosen_)].present) chosen_ = -1;
  const float bottom = canvas.max.y - lists_height(canvas);
  draw_states(canvas, top, bottom, model);
  if (chosen_ >= 0) draw_lists(canvas, bottom, model);
}

void MarkovView::choose(int state, Model& model) {
  chosen_ = state;
  model.selection = {};
  if (state < 0) return;
  const auto& subject = data_.states[size_t(state)].subject();
  model.selection = {subject.component, subject.operation, {}};
}

bool MarkovView::found(const MarkovData::State& state, const Model& model) const {
  if (model.search.text.empty()) return true;
  const auto matches = [&](const MarkovData::End& end) {
    return !end.component.empty() && (model.found(end.component) || model.found(end.operation));
  };
  return matches(state.from) || matches(state.to);
}

void MarkovView::state_tooltip(const Canvas& canvas, size_t state, const Model& model) const {
  const auto& s = data_.states[state];
  const auto out = data_.out_of(int(state));
  std::string text = s.present ? "" : "not in this window";
  if (s.present && out.empty()) text = "followed by nothing: the trace ends here";
  for (size_t i = 0; i < std::min<size_t>(out.size(), 3); ++i)
    text += fmt::format("{}{}  {}", i ? "\n" : "", text::probability(out[i].probability),
                        markov_name(model, data_.states[size_t(out[i].to)]));
  if (out.size() > 3) text += fmt::format("\nand {} more", out.size() - 3);
  tooltip(canvas.theme, markov_name(model, s), text,
          "A click lists what comes before and after it.");
}

void MarkovView::transition_tooltip(const Canvas& canvas, const MarkovData::Transition& transition,
                                    const Model& model) const {
  tooltip(canvas.theme,
          fmt::format("{}, then {}", markov_name(model, data_.states[size_t(transition.from)]),
                      markov_name(model, data_.states[size_t(transition.to)])),
          fmt::format("{}, {}{} times", text::probability(transition.probability), answer_.mark(),
                      text::count(transition.count)),
          definition(Term::kTransition).text);
}

bool MarkovView::key(int glfw_key, Model& model) {
  const double now = threshold(model);
  switch (glfw_key) {
    case GLFW_KEY_ESCAPE:
      if (chosen_ < 0) return false;
      choose(-1, model);
      return true;
    case GLFW_KEY_N: {
      const auto* next = std::upper_bound(kSteps.begin(), kSteps.end(), now + 1e-9);
      model.settings.options[kThreshold] = next == kSteps.end() ? kSteps.back() : *next;
      return true;
    }
    case GLFW_KEY_B: {
      const auto* next = std::lower_bound(kSteps.begin(), kSteps.end(), now - 1e-9);
      model.settings.options[kThreshold] = next == kSteps.begin() ? 0 : *(next - 1);
      return true;
    }
    case GLFW_KEY_DOWN:
    case GLFW_KEY_UP: {
      // The next state in the order of their first appearance.
      const int count = int(data_.states.size()), step = glfw_key == GLFW_KEY_DOWN ? 1 : -1;
      for (int i = 1; i <= count; ++i) {
        const int from = chosen_ < 0 ? (step > 0 ? -1 : count) : chosen_;
        const int next = ((from + step * i) % count + count) % count;
        if (!data_.states[size_t(next)].present) continue;
        choose(next, model);
        return true;
      }
      return false;
    }
    default:
      return GraphView::key(glfw_key, model);
  }
}

}  // namespace compmond::ui
