// SPDX-License-Identifier: Apache-2.0
#include "spec/json_tree.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "core/limits.h"
#include "text/clean.h"
#include "text/columns.h"

namespace compmond::spec {
namespace {

using nlohmann::json;

// Walks the text and leaves in `*reached` how far the lexer has read.
struct TrackedChar {
  using difference_type = std::ptrdiff_t;
  using value_type = char;
  using pointer = const char*;
  using reference = const char&;
  using iterator_category = std::input_iterator_tag;

  const char* at;
  const char** reached;

  reference operator*() const { return *at; }
  TrackedChar& operator++() {
    *reached = ++at;
    return *this;
  }
  TrackedChar operator++(int) {
    TrackedChar before = *this;
    ++*this;
    return before;
  }
  bool operator==(const TrackedChar& other) const { return at == other.at; }
  bool operator!=(const TrackedChar& other) const { return at != other.at; }
};

// What the library says, without its prefix and without the text it quotes (which is the file's,
// and unbounded).
std::string reason_of(const char* message) {
  std::string text = message;
  if (size_t at = text.find("] "); at != std::string::npos) text.erase(0, at + 2);
  if (text.rfind("parse error", 0) == 0)
    if (size_t at = text.find(": "); at != std::string::npos) text.erase(0, at + 2);
  if (size_t from = text.find("; last read: '"); from != std::string::npos) {
    const size_t to = text.rfind("'; expected ");
    text.erase(from, to == std::string::npos || to < from ? std::string::npos : to + 1 - from);
  }
  if (text.rfind("number overflow", 0) == 0) text = "a number that is out of range";
  return text::printable(text, 200);
}

// One reference token of a JSON pointer (RFC 6901), printable.
std::string pointer_part(std::string_view key) {
  std::string out;
  for (const char c : text::printable(key)) {
    if (c == '~')
      out += "~0";
    else if (c == '/')
      out += "~1";
    else
      out += c;
  }
  return out;
}

// Builds the tree. The parents of the value being read are on `open_`; a parent's children do not
// move while one of them is open, since only the innermost one grows.
class Builder : public nlohmann::json_sax<json> {
 public:
  Builder(std::string_view text, const std::string& path)
      : text_(text), path_(path), reached_(text.data()) {}

  const char** reached() { return &reached_; }
  Node& root() { return root_; }
  std::optional<Error>& error() { return error_; }

  bool null() override { return value(Node::Kind::kNull); }
  bool boolean(bool truth) override {
    return value(Node::Kind::kBool, [&](Node& n) { n.truth = truth; });
  }
  bool number_integer(number_integer_t v) override { return number(double(v)); }
  bool number_unsigned(number_unsigned_t v) override { return number(double(v)); }
  bool number_float(number_float_t v, const string_t&) override { return number(v); }
  bool string(string_t& v) override {
    return value(Node::Kind::kString, [&](Node& n) { n.text = std::move(v); });
  }
  bool binary(binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Node::Kind::kObject); }
  bool start_array(size_t) override { return open(Node::Kind::kArray); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }

  bool key(string_t& v) override {
    const size_t offset = token();
    if (!open_.back().keys.insert(v).second)
      return refuse(offset, fmt::format("the key {} is given twice", text::in_quotes(v)),
                    "Keep one of them.");
    Node& member = open_.back().node->children.emplace_back();
    member.key = std::move(v);
    member.key_offset = offset;
    return true;
  }

  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception& e) override {
    size_t offset = skip_blank(last_end_);
    const bool separator = offset < text_.size() && (text_[offset] == ',' || text_[offset] == ':');
    if (separator && text_.data() + offset + 1 < reached_) offset = skip_blank(offset + 1);
    error_ = Error{Exit::kData, place(text_, path_, offset, ""),
                   "not valid JSON: " + reason_of(e.what()),
                   "Mend the text there; a comma or a quote just before it is the usual cause."};
    return false;
  }

 private:
  struct Level {
    Node* node;
    std::set<std::string> keys;
  };

  size_t skip_blank(size_t at) const {
    return std::min(text_.find_first_not_of(" \t\r\n", at), text_.size());
  }

  // Offset of the token that was just read: the first character after the last token that can begin
  // one.
  size_t token() {
    const size_t at = text_.find_first_not_of(" \t\r\n,:", last_end_);
    last_end_ = size_t(reached_ - text_.data());
    return std::min(at, last_end_);
  }

  // Pointer to the innermost open object or list.
  std::string pointer() const {
    std::string out;
    for (size_t i = 0; i + 1 < open_.size(); ++i) {
      const Node& node = *open_[i].node;
      out += node.kind == Node::Kind::kArray ? fmt::format("/{}", node.children.size() - 1)
                                             : "/" + pointer_part(node.children.back().key);
    }
    return out;
  }

  bool refuse(size_t offset, std::string why, std::string next) {
    error_ =
        Error{Exit::kData, place(text_, path_, offset, pointer()), std::move(why), std::move(next)};
    return false;
  }

  Node& slot() {
    if (open_.empty()) return root_;
    Node& parent = *open_.back().node;
    return parent.kind == Node::Kind::kArray ? parent.children.emplace_back()
                                             : parent.children.back();
  }

  template <class Fill>
  bool value(Node::Kind kind, Fill fill) {
    Node& node = slot();
    node.kind = kind;
    node.offset = token();
    fill(node);
    return true;
  }
  bool value(Node::Kind kind) {
    return value(kind, [](Node&) {});
  }
  bool number(double v) {
    return value(Node::Kind::kNumber, [&](Node& n) {
      n.number = v;
      // The lexer has to read one character beyond a number to see its end.
      last_end_ = std::min(text_.find_first_not_of("+-.0123456789eE", n.offset), text_.size());
    });
  }

  bool open(Node::Kind kind) {
    if (open_.size() >= size_t(limits::kSpecDepth))
      return refuse(token(),
                    fmt::format("nested deeper than the limit of {} levels", limits::kSpecDepth),
                    "Flatten the components.");
    value(kind);
    Node& node = open_.empty() ? root_ : open_.back().node->children.back();
    open_.push_back({&node, {}});
    return true;
  }

  bool close() {
    open_.pop_back();
    token();
    return true;
  }

  std::string_view text_;
  const std::string& path_;
  const char* reached_;
  size_t last_end_ = 0;
  Node root_;
  std::vector<Level> open_;
  std::optional<Error> error_;
};

}  // namespace

const Node* Node::find(std::string_view wanted) const {
  for (const Node& child : children)
    if (child.key == wanted) return &child;
  return nullptr;
}

const char* Node::kind_name() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return "a boolean";
    case Kind::kNumber:
      return "a number";
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "a list";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

std::string place(std::string_view json, const std::string& path, size_t offset,
                  const std::string& pointer) {
  const std::string_view before = json.substr(0, std::min(offset, json.size()));
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const size_t newline = before.rfind('\n');
  const std::string_view row =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  return fmt::format("{}:{}:{}{}{}", path, line, 1 + text::columns(row),
                     pointer.empty() ? "" : " at ", pointer);
}

Result<Node> parse_json(std::string_view json, const std::string& path) {
  if (json.size() > limits::kSpecBytes)
    return fail(Exit::kData, path,
                fmt::format("larger than the limit of {} bytes", limits::kSpecBytes),
                "Observe less, or use wildcards instead of listing every symbol.");
  Builder builder(json, path);
  const TrackedChar first{json.data(), builder.reached()};
  const TrackedChar last{json.data() + json.size(), builder.reached()};
  if (nlohmann::json::sax_parse(first, last, &builder)) return std::move(builder.root());
  return Unexpected(std::move(*builder.error()));
}

}  // namespace compmond::spec
