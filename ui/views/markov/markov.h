// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "ui/views/graph/graph_view.h"
#include "ui/views/markov/markov_data.h"

namespace compmond::ui {

// Which message follows which, with the probability: a graph of the calls and returns of the
// window's traces. The lists of a chosen one stand below.
class MarkovView : public GraphView {
 public:
  MarkovView();
  void draw(const Canvas& canvas, Model& model) override;
  bool key(int glfw_key, Model& model) override;

 private:
  void forget() override;
  void learn(const snapshot::ReportContent& answer) override {
    data_.take(std::get<snapshot::Markov>(answer));
  }
  float draw_controls(const Canvas& canvas, Model& model);  // where they end
  void draw_threshold(Controls& controls, const Canvas& canvas, Model& model);
  void choose(int state, Model& model);
  bool found(const MarkovData::State& state, const Model& model) const;

  void choose_lines(const Model& model);                 // that are likely enough
  void place(const Canvas& canvas, const Model& model);  // before anything tells of its boxes
  void draw_states(const Canvas& canvas, float top, float bottom, Model& model);
  LineLook look(size_t line, const GraphPane::Pointed& at, const Model& model) const override;
  void draw_box(const GraphSight& sight, size_t state, bool hovered,
                const Model& model) const override;
  void state_tooltip(const Canvas& canvas, size_t state, const Model& model) const;
  void transition_tooltip(const Canvas& canvas, const MarkovData::Transition& transition,
                          const Model& model) const;

  float lists_height(const Canvas& canvas) const;  // 0: nothing is chosen
  void draw_lists(const Canvas& canvas, float top, Model& model);
  void draw_list(const Canvas& canvas, const char* title, ImVec2 min, ImVec2 max,
                 const std::vector<MarkovData::Transition>& list, bool into, Model& model);

  MarkovData data_;
  size_t hidden_ = 0;  // transitions below the threshold
  int chosen_ = -1;    // state; -1: none
};

}  // namespace compmond::ui
