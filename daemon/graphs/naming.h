// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/hash_mix.h"
#include "base/words.h"
#include "traces/traced.h"

namespace compmond::graphs {

enum class Level : uint8_t { kOperation, kComponent, kProgram, kHost };
constexpr auto words(Level) {
  return word_table<Level>({{Level::kOperation, "operation"},
                            {Level::kComponent, "component"},
                            {Level::kProgram, "program"},
                            {Level::kHost, "host"}});
}

// What an analysis tells apart.
struct Naming {
  Level level = Level::kOperation;
  bool with_host = false;  // the same operation on another host is another one
};

// The things that executions belong to at a level, numbered in the order of their first appearance.
// "Catalog.getBook(..)", "Catalog", "shop" or "web1" (also where no program is known); with the
// host in front "web1::Catalog".
class Nodes {
 public:
  Nodes(const traces::Catalogue& catalogue, Naming naming)
      : catalogue_(catalogue), naming_(naming) {}

  uint32_t of(const traces::TracedExecution& execution);

  size_t size() const { return nodes_.size(); }
  std::string name(uint32_t node) const;
  // The parts of the name: component is empty at levels program and host, operation above level
  // operation.
  const std::string& component(uint32_t node) const;
  const std::string& operation(uint32_t node) const;
  const std::string& program(uint32_t node) const;  // empty at other levels, and where unknown
  // The host, or nothing where executions on several hosts belong to it.
  std::optional<std::string> host(uint32_t node) const;
  const Naming& naming() const { return naming_; }

 private:
  struct Node {
    uint32_t operation;  // one of those that belong to it
    uint32_t host, program;
    bool several_hosts = false;
  };
  std::string key_of(const traces::TracedExecution& execution) const;
  uint32_t find(const traces::TracedExecution& execution);

  const traces::Catalogue& catalogue_;
  Naming naming_;
  std::vector<Node> nodes_;
  struct Of {
    uint32_t operation, host, program;
    bool operator==(const Of&) const = default;
  };
  struct HashOf {
    size_t operator()(const Of& of) const {
      return hash_mix(hash_mix(hash_mix(0, of.operation), of.host), of.program);
    }
  };
  std::unordered_map<Of, uint32_t, HashOf> by_execution_;
  std::unordered_map<std::string, uint32_t> by_key_;
};

}  // namespace compmond::graphs
