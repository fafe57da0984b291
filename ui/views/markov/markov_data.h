// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "layout/growing_graph.h"
#include "protocol/analysis_reports.h"
#include "ui/model/model.h"

namespace compmond::ui {

// A Markov chain over many answers: states and transitions keep their numbers, figures are those of
// the newest answer.
struct MarkovData {
  using End = snapshot::GraphNode;  // both empty: outside
  struct State {
    End from, to;
    bool call = true;
    bool present = false;  // in the newest answer
    double itself = 0;     // probability that it follows itself
    uint64_t itself_count = 0;
    // Who executes after the message: the called one, or the one that was returned to.
    const End& subject() const { return to.component.empty() ? from : to; }
  };
  struct Transition {
    int from = 0, to = 0;  // states
    double probability = 0;
    uint64_t count = 0;  // 0: not in the newest answer
  };
  layout::GrowingGraph graph;
  std::vector<State> states;            // per node of the graph
  std::vector<Transition> transitions;  // per edge

  void take(const snapshot::Markov& answer);
  // Into and out of a state, with itself, the likeliest first.
  std::vector<Transition> into(int state) const { return at(state, &Transition::to); }
  std::vector<Transition> out_of(int state) const { return at(state, &Transition::from); }

 private:
  std::vector<Transition> at(int state, int Transition::*end) const;
};

// "Web", "Web.open" of an operation, "outside".
std::string markov_end(const Model& model, const MarkovData::End& end);
// "Web calls Storage", "Storage returns to Web".
std::string markov_name(const Model& model, const MarkovData::State& state);

}  // namespace compmond::ui
