// SPDX-License-Identifier: Apache-2.0
#include "spec/fields.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "text/clean.h"
#include "text/nearest.h"

namespace compmond::spec {
namespace {

bool is_hex(char c) { return std::isxdigit(static_cast<unsigned char>(c)) != 0; }

// "0x1234" or "name+0x10": a place inside code rather than a symbol.
bool is_raw_offset(std::string_view pattern) {
  if (const size_t plus = pattern.rfind('+'); plus != std::string_view::npos)
    pattern.remove_prefix(plus + 1);
  return pattern.size() > 2 && pattern[0] == '0' && (pattern[1] == 'x' || pattern[1] == 'X') &&
         std::all_of(pattern.begin() + 2, pattern.end(), is_hex);
}

}  // namespace

bool Fields::refuse(size_t offset, const std::string& pointer, std::string why, std::string next) {
  error_ =
      Error{Exit::kData, place(json_, path_, offset, pointer), std::move(why), std::move(next)};
  return false;
}

bool Fields::expect(const Node& node, const std::string& pointer, Node::Kind kind,
                    const char* wanted) {
  if (node.kind == kind) return true;
  return refuse(node, pointer, fmt::format("expected {}, found {}", wanted, node.kind_name()),
                fmt::format("Write {}.", wanted));
}

bool Fields::known_keys(const Node& object, const std::string& pointer,
                        std::span<const std::string_view> known) {
  for (const Node& member : object.children) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    const std::string meant = text::did_you_mean(member.key, known);
    return refuse(
        member.key_offset, pointer, fmt::format("unknown key {}", text::in_quotes(member.key)),
        meant.empty() ? fmt::format("Known keys here are {}.", text::listed(known)) : meant);
  }
  return true;
}

bool Fields::text(const Node& node, const std::string& pointer, const char* what, size_t limit,
                  std::string& out) {
  if (!expect(node, pointer, Node::Kind::kString, "a string")) return false;
  if (node.text.find_first_not_of(' ') == std::string::npos)
    return refuse(node, pointer, fmt::format("{} is empty", what),
                  "Give it at least one visible character.");
  if (node.text.size() > limit)
    return refuse(node, pointer,
                  fmt::format("{} has {} bytes; the limit is {}", what, node.text.size(), limit),
                  "Shorten it.");
  if (text::has_control(node.text))
    return refuse(node, pointer,
                  fmt::format("{} holds control characters: {}", what, text::in_quotes(node.text)),
                  "Remove them.");
  out = node.text;
  return true;
}

bool Fields::symbol(const Node& node, const std::string& pointer, std::string& out) {
  if (!text(node, pointer, "a symbol pattern", limits::kNameBytes, out)) return false;
  if (out == "re:")
    return refuse(node, pointer, "the regular expression after 're:' is empty",
                  "Write one, for example \"re:^work_[0-9]+$\".");
  if (out.rfind("re:", 0) != 0 && is_raw_offset(out))
    return refuse(node, pointer, fmt::format("{} is a raw offset", text::in_quotes(out)),
                  "Name a symbol: a probe inside a function could split an instruction.");
  return true;
}

bool Fields::colour(const Node& node, const std::string& pointer, std::string& out) {
  if (!expect(node, pointer, Node::Kind::kString, "a string")) return false;
  const std::string& v = node.text;
  if (v.size() != 7 || v[0] != '#' || !std::all_of(v.begin() + 1, v.end(), is_hex))
    return refuse(node, pointer, fmt::format("{} is not a color", text::in_quotes(v)),
                  "Write \"#rrggbb\" in hexadecimal digits, for example \"#c0392b\".");
  out = v;
  return true;
}

bool Fields::exit_mode(const Node& node, const std::string& pointer, ExitMode& out) {
  if (!expect(node, pointer, Node::Kind::kString, "a string")) return false;
  if (const auto mode = from_text<ExitMode>(node.text)) {
    out = *mode;
    return true;
  }
  const std::vector<std::string> modes = all_words<ExitMode>();
  const std::string meant =
      text::did_you_mean(node.text, std::vector<std::string_view>(modes.begin(), modes.end()));
  return refuse(node, pointer, fmt::format("{} is not an exit mode", text::in_quotes(node.text)),
                meant.empty()
                    ? fmt::format("Exit modes are {}; \"auto\" is safe.", text::listed(modes))
                    : meant);
}

bool Fields::slo(const Node& node, const std::string& pointer, std::optional<double>& out) {
  if (!expect(node, pointer, Node::Kind::kNumber, "a number of milliseconds")) return false;
  if (!(node.number > 0) || node.number > kSloMaxMs)
    return refuse(node, pointer, fmt::format("an objective of {} ms is out of range", node.number),
                  fmt::format("Write milliseconds greater than 0 and at most {:.0f}.", kSloMaxMs));
  out = node.number;
  return true;
}

bool Fields::truth(const Node& node, const std::string& pointer, bool& out) {
  if (!expect(node, pointer, Node::Kind::kBool, "true or false")) return false;
  out = node.truth;
  return true;
}

}  // namespace compmond::spec
