// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/words.h"
#include "traces/traced.h"

namespace compmond::graphs {

enum class Level : uint8_t { kOperation, kComponent, kHost };
constexpr auto words(Level) {
  return word_table<Level>(
      {{Level::kOperation, "operation"}, {Level::kComponent, "component"}, {Level::kHost, "host"}});
}

// What an analysis tells apart.
struct Naming {
  Level level = Level::kOperation;
  bool with_host = false;  // the same operation on another host is another one
};

// The things that executions belong to at a level, numbered in the order of their first appearance.
// "Catalog.getBook(..)", "Catalog" or "web1"; with the host in front "web1::Catalog".
class Nodes {
 public:
  Nodes(const traces::Catalogue& catalogue, Naming naming)
      : catalogue_(catalogue), naming_(naming) {}

  uint32_t of(const traces::TracedExecution& execution);

  size_t size() const { return nodes_.size(); }
  std::string name(uint32_t node) const;
  // The parts of the name: component is empty at level host, operation above level operation.
  const std::string& component(uint32_t node) const;
  const std::string& operation(uint32_t node) const;
  // The host, or nothing where executions on several hosts belong to it.
  std::optional<std::string> host(uint32_t node) const;
  const Naming& naming() const { return naming_; }

 private:
  struct Node {
    uint32_t operation;  // one of those that belong to it
    uint32_t host;
    bool several_hosts = false;
  };
  uint32_t find(const traces::TracedExecution& execution);

  const traces::Catalogue& catalogue_;
  Naming naming_;
  std::vector<Node> nodes_;
  std::unordered_map<uint64_t, uint32_t> by_execution_;  // operation, host -> node
  std::unordered_map<std::string, uint32_t> by_key_;
};

}  // namespace compmond::graphs
