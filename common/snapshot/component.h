// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "snapshot/figures.h"
#include "snapshot/words.h"

// What a snapshot tells of components, of their operations, and of the calls between them. Integers
// are ns unless the name says otherwise.
namespace compmond::snapshot {

struct Operation {
  std::string name, symbol, image;
  Word<Interface> interface;
  Word<ExitMode> exit_mode;
  std::string engine;  // what observes it, by name, such as "uprobe"; empty when refused
  Word<Presence> state = Presence::kAttached;  // whether it is observed now, whatever the window
  std::optional<uint64_t> since_ns = std::nullopt;  // since when so; none: since the beginning
  std::string site;       // where, in the engine's word, such as "nop5"; may be empty
  uint64_t moved_by = 0;  // bytes from the function's start to there
  std::string reason;     // why refused, or why this exit mode
  Figures figures;
  bool operator==(const Operation&) const = default;
};

struct Component {
  std::string name;                   // path, "Parent/Child"
  std::optional<std::string> parent;  // path
  std::string color, kind;
  Word<Status> status;
  Figures figures;  // of its own operations
  struct Subtree {  // of it and all it contains
    uint64_t calls = 0, real_ns = 0, net_real_ns = 0;
    bool seen = true;  // as of Figures
    std::optional<Estimated> estimated = std::nullopt;
    bool at_least = false, uncertain = false;  // likewise
    uint64_t unsure_ns = 0;
    uint64_t waiting_ns = 0;  // of net_real_ns, likewise
    bool operator==(const Subtree&) const = default;
  } subtree;
  std::vector<Operation> operations;
  bool operator==(const Component&) const = default;
};

inline bool times_estimated(const Component::Subtree& of) {
  return !of.seen || (of.estimated && of.estimated->net_real_ns);
}
// As shown_real_ns() of Figures, where probes tell it.
inline uint64_t shown_real_ns(const Component::Subtree& of) {
  return of.net_real_ns - of.waiting_ns;
}

// What a component without operations of its own shows: the sum of what is in it, which is among
// `all`, with the marks of its parts. Times of samples have intervals of the sum, not of its parts.
Figures figures_within(const std::vector<Component>& all, const Component& group);

// Whether it was observed in the window, some of the time at least.
bool has_figures(const Operation& operation);

// Whether there are calls but no times, since all attached operations are entry-only.
bool only_counted(const Component& component);

struct Edge {
  std::optional<std::string> from;  // empty: the caller is outside, or `unknown`
  std::string to;
  uint64_t count = 0, raw_ns = 0;
  bool declared = false;  // a connection of the spec; count is 0 when it was never seen
  bool seen = true;       // calls could be; else count and raw_ns are null in JSON, 0 here
  std::optional<Estimated> estimated = std::nullopt;  // as of Figures: raw_ns and calls alone
  // As of Figures.
  std::optional<std::string> not_extrapolated = std::nullopt;
  bool at_least = false;  // there may have been more, as calls of one of the two were missed
  bool unknown = false;   // the caller was cut off the sampled stacks: it may be any component
  bool operator==(const Edge&) const = default;
};

}  // namespace compmond::snapshot
