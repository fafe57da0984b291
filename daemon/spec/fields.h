// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/limits.h"
#include "spec/json_tree.h"
#include "spec/model.h"

namespace compmond::spec {

constexpr size_t kShownNameBytes =
    200;                           // a name that people wrote for people; views cut far earlier
constexpr double kSloMaxMs = 1e9;  // 11 days: more is a mistaken unit, and ns still fit 64 bits

// Reads single values of a spec and keeps the first error. A function that returns false has set
// the error.
class Fields {
 public:
  Fields(std::string_view json, const std::string& path) : json_(json), path_(path) {}

 protected:
  bool refuse(size_t offset, const std::string& pointer, std::string why, std::string next);
  bool refuse(const Node& node, const std::string& pointer, std::string why, std::string next) {
    return refuse(node.offset, pointer, std::move(why), std::move(next));
  }

  bool expect(const Node& node, const std::string& pointer, Node::Kind kind, const char* wanted);
  bool known_keys(const Node& object, const std::string& pointer,
                  std::span<const std::string_view> known);
  // `what` says in messages what the text is: "a component's name".
  bool text(const Node& node, const std::string& pointer, const char* what, size_t limit,
            std::string& out);
  bool symbol(const Node& node, const std::string& pointer, std::string& out);
  bool colour(const Node& node, const std::string& pointer, std::string& out);
  bool exit_mode(const Node& node, const std::string& pointer, ExitMode& out);
  bool slo(const Node& node, const std::string& pointer, std::optional<double>& out);
  bool truth(const Node& node, const std::string& pointer, bool& out);
  // The argument that is the trace or session id: its number, or an object with `argument` and
  // `type`. The kind of `out` is not set.
  bool id_argument(const Node& node, const std::string& pointer, Context& out);
  // The argument that is handed over, and whether it is given or taken.
  bool handoff(const Node& node, const std::string& pointer, Context& out);

 private:
  bool argument(const Node& object, const std::string& pointer, Context& out);
  bool argument_number(const Node& node, const std::string& pointer, Context& out);
  // One of a few words; `what` says in messages what they are: "a type".
  bool word(const Node& node, const std::string& pointer, const char* what,
            std::span<const std::string_view> words, size_t& out);

 protected:
  std::string_view json_;
  const std::string& path_;
  std::optional<Error> error_;
};

}  // namespace compmond::spec
