// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>

#include "spec/fields.h"
#include "text/clean.h"
#include "text/nearest.h"

namespace compmond::spec {

using Kind = Node::Kind;

bool Fields::id_argument(const Node& node, const std::string& pointer, Context& out) {
  static constexpr std::array<std::string_view, 2> kKeys{"argument", "type"};
  static constexpr std::array<std::string_view, 4> kTypes{"integer", "int32", "pointer", "string"};
  if (node.kind == Kind::kNumber) return argument_number(node, pointer, out);
  if (!expect(node, pointer, Kind::kObject,
              "the number of an argument or an object with \"argument\"") ||
      !known_keys(node, pointer, kKeys) || !argument(node, pointer, out))
    return false;
  const Node* type = node.find("type");
  size_t index = size_t(out.type);
  if (type && !word(*type, pointer + "/type", "a type", kTypes, index)) return false;
  out.type = ContextType(index);
  return true;
}

bool Fields::handoff(const Node& node, const std::string& pointer, Context& out) {
  static constexpr std::array<std::string_view, 2> kKeys{"argument", "role"};
  static constexpr std::array<std::string_view, 2> kRoles{"give", "take"};
  if (!expect(node, pointer, Kind::kObject, "an object with \"argument\" and \"role\"") ||
      !known_keys(node, pointer, kKeys) || !argument(node, pointer, out))
    return false;
  const Node* role = node.find("role");
  if (!role)
    return refuse(node, pointer, "the role is missing",
                  "Add \"role\": \"give\" where the pointer is handed over, \"take\" where another "
                  "thread goes on with it.");
  size_t index = 0;
  if (!word(*role, pointer + "/role", "a role", kRoles, index)) return false;
  out.kind = index == 0 ? ContextKind::kGive : ContextKind::kTake;
  out.type = ContextType::kPointer;
  return true;
}

bool Fields::argument(const Node& object, const std::string& pointer, Context& out) {
  const Node* number = object.find("argument");
  if (!number)
    return refuse(object, pointer, "the argument is missing",
                  "Add \"argument\": N; the first one is 1, in a member function 'this'.");
  return argument_number(*number, pointer + "/argument", out);
}

bool Fields::argument_number(const Node& node, const std::string& pointer, Context& out) {
  if (!expect(node, pointer, Kind::kNumber, "the number of an argument")) return false;
  if (!(node.number >= 1 && node.number <= kContextArguments) ||
      node.number != std::floor(node.number))
    return refuse(node, pointer, fmt::format("there is no argument {} to read", node.number),
                  fmt::format("Write a whole number from 1 to {}: those are passed in registers; "
                              "in a member function 1 is 'this'.",
                              kContextArguments));
  out.argument = uint8_t(node.number);
  return true;
}

bool Fields::word(const Node& node, const std::string& pointer, const char* what,
                  std::span<const std::string_view> words, size_t& out) {
  if (!expect(node, pointer, Kind::kString, "a string")) return false;
  const auto found = std::find(words.begin(), words.end(), node.text);
  if (found == words.end())
    return refuse(node, pointer, fmt::format("{} is not {}", text::in_quotes(node.text), what),
                  fmt::format("Write one of {}.", text::listed(words)));
  out = size_t(found - words.begin());
  return true;
}

}  // namespace compmond::spec
