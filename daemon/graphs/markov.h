// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "graphs/messages.h"
#include "graphs/naming.h"

namespace compmond::graphs {

// A Markov chain over messages: how often one message directly follows another in a trace, as a
// share of all that follow it. The last message of a trace is followed by none.
class MarkovChain {
 public:
  MarkovChain(const traces::Catalogue& catalogue, Naming naming) : nodes_(catalogue, naming) {}

  void add(const traces::Trace& trace);

  struct State {
    Message::Kind kind = Message::Kind::kCall;
    int32_t from = -1, to = -1;  // of nodes(); -1: outside
    uint64_t count = 0;          // occurrences
    uint64_t first = 0;          // traces that begin with it
    uint64_t followed = 0;       // occurrences that another message follows
  };
  struct Edge {
    uint32_t from = 0, to = 0;  // states
    uint64_t count = 0;
    double probability = 0;  // count / followed of `from`
  };
  const std::vector<State>& states() const { return states_; }
  std::vector<Edge> edges() const;  // by (from, to)
  const Nodes& nodes() const { return nodes_; }
  // "a -> b" for a call, "b --> a" for a return, as sequence diagrams draw them; "$" is outside.
  std::string name(uint32_t state) const;
  uint64_t traces() const { return traces_; }

 private:
  uint32_t state(const Message& message, int32_t from, int32_t to);

  Nodes nodes_;
  std::vector<State> states_;
  std::unordered_map<uint64_t, uint32_t> by_key_;
  std::unordered_map<uint64_t, uint64_t> edges_;
  std::vector<int32_t> node_of_;  // reused
  uint64_t traces_ = 0;
};

}  // namespace compmond::graphs
