// SPDX-License-Identifier: Apache-2.0
#include "ui/views/markov/markov_data.h"

#include <algorithm>
#include <functional>

#include "ui/views/shared/operation_name.h"

namespace compmond::ui {
namespace {

std::string key_of(const MarkovData::State& state) {
  return (state.call ? "call\n" : "return\n") + state.from.component + "\n" + state.from.operation +
         "\n" + state.to.component + "\n" + state.to.operation;
}

}  // namespace

void MarkovData::take(const snapshot::Markov& answer) {
  for (State& state : states) state.present = false, state.itself = 0, state.itself_count = 0;
  for (Transition& transition : transitions) transition.count = 0;
  const auto end = [&](int32_t node) {
    return node < 0 || size_t(node) >= answer.nodes.size() ? End{} : answer.nodes[size_t(node)];
  };
  std::vector<int> numbers;
  for (const auto& from : answer.states) {
    State state{end(from.from), end(from.to), from.call, true, 0, 0};
    const int number = graph.node(key_of(state));
    if (size_t(number) >= states.size()) states.resize(size_t(number) + 1);
    states[size_t(number)] = std::move(state);
    numbers.push_back(number);
  }
  for (const auto& transition : answer.transitions) {
    if (transition.from >= numbers.size() || transition.to >= numbers.size()) continue;
    const int from = numbers[transition.from], to = numbers[transition.to];
    if (from == to) {
      states[size_t(from)].itself = transition.probability;
      states[size_t(from)].itself_count = transition.count;
      continue;
    }
    const auto place = size_t(graph.edge(from, to));
    if (place >= transitions.size()) transitions.resize(place + 1);
    transitions[place] = {from, to, transition.probability, transition.count};
  }
}

std::vector<MarkovData::Transition> MarkovData::at(int state, int Transition::*end) const {
  std::vector<Transition> all;
  for (const Transition& transition : transitions)
    if (transition.count > 0 && transition.*end == state) all.push_back(transition);
  const State& s = states[size_t(state)];
  if (s.itself_count > 0) all.push_back({state, state, s.itself, s.itself_count});
  std::ranges::stable_sort(all, std::greater{}, &Transition::probability);
  return all;
}

std::string markov_end(const Model& model, const MarkovData::End& end) {
  if (end.component.empty()) return "outside";
  const std::string component = model.name_of(end.component);
  return end.operation.empty() ? component : component + "." + short_operation(end.operation);
}

std::string markov_name(const Model& model, const MarkovData::State& state) {
  return markov_end(model, state.from) + (state.call ? " calls " : " returns to ") +
         markov_end(model, state.to);
}

}  // namespace compmond::ui
