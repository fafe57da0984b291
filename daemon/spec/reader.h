// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "spec/fields.h"
#include "spec/json_tree.h"
#include "spec/model.h"

namespace compmond::spec {

// Turns the JSON tree of one spec into its value, once. Recursion is bounded by the tree's depth.
class SpecReader : private Fields {
 public:
  SpecReader(std::string_view json, const std::string& path) : Fields(json, path) {}
  Result<Spec> read(const Node& root);

 private:
  bool read_top(const Node& root);
  bool is_note(const Node& node, const std::string& pointer);
  bool read_build_ids(const Node& ids, const std::string& pointer);
  bool read_schema(const Node& root);
  bool read_components(const Node& list, const std::string& pointer, int parent);
  bool read_component(const Node& node, const std::string& pointer, int parent);
  bool read_value(const Node& member, const std::string& pointer, Component& component);
  bool read_engine(const Node& node, const std::string& pointer, std::string& out);
  bool read_operations(const Node& list, const std::string& pointer, Interface interface,
                       Component& component);
  bool read_operation(const Node& node, const std::string& pointer, Operation& operation);
  bool read_context(const Node& member, const std::string& pointer, Operation& operation);
  bool read_connections(const Node& list, const std::string& pointer);

  Spec spec_;
};

}  // namespace compmond::spec
