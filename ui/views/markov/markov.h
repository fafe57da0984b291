// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "ui/views/markov/markov_data.h"
#include "ui/views/shared/analysis_answer.h"
#include "ui/views/shared/graph_pane.h"
#include "ui/views/shared/view.h"

namespace compmond::ui {

// Which message follows which, with the probability: a graph of the calls and returns of the
// window's traces. The lists of a chosen one stand below.
class MarkovView : public View {
 public:
  const char* name() const override { return "Markov"; }
  const char* purpose() const override {
    return "Which call or return follows which, and how probably.";
  }
  void ask(const Model& model, float width, float height,
           snapshot::ViewRequest& request) const override;
  void draw(const Canvas& canvas, Model& model) override;
  bool animates(const Model& model) const override;
  bool key(int glfw_key, Model& model) override;

 private:
  void take(const Model& model);
  float draw_controls(const Canvas& canvas, Model& model);  // where they end
  void draw_threshold(Controls& controls, const Canvas& canvas, Model& model);
  void choose(int state, Model& model);
  bool found(const MarkovData::State& state, const Model& model) const;

  void place(const Canvas& canvas, const Model& model);  // before anything tells of its boxes
  void draw_graph(const Canvas& canvas, float top, float bottom, Model& model);
  void draw_lines(const GraphSight& sight, const GraphPane::Pointed& at);
  void draw_state(const GraphSight& sight, size_t state, bool hovered, const Model& model) const;
  void state_tooltip(const Canvas& canvas, size_t state) const;
  void transition_tooltip(const Canvas& canvas, const MarkovData::Transition& transition) const;

  float lists_height(const Canvas& canvas) const;  // 0: nothing is chosen
  void draw_lists(const Canvas& canvas, float top, Model& model);
  void draw_list(const Canvas& canvas, const char* title, ImVec2 min, ImVec2 max,
                 const std::vector<MarkovData::Transition>& list, bool into, Model& model);

  AnalysisAnswer answer_{snapshot::Report::kMarkov};
  Word<snapshot::Level> level_;  // of the data
  MarkovData data_;
  GraphPane pane_;
  LineLabels labels_;
  std::vector<char> shown_boxes_, shown_lines_;
  size_t hidden_ = 0;  // transitions below the threshold
  int chosen_ = -1;    // state; -1: none
};

std::unique_ptr<View> make_markov_view();

}  // namespace compmond::ui
