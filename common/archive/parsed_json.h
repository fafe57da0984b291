// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <simdjson.h>

#include <optional>
#include <string_view>

#include "archive/document.h"
#include "base/result.h"

namespace compmond::archive {

// A text, parsed. What is read from it must not outlive it.
class ParsedJson {
 public:
  using Value = simdjson::dom::element;
  using Object = simdjson::dom::object;

  explicit ParsedJson(std::string_view text) {
    Value root;
    error_ = text.empty() ? simdjson::EMPTY : parser_.parse(text.data(), text.size()).get(root);
    is_object_ = is_json() && !root.get(object_);
  }
  ParsedJson(const ParsedJson&) = delete;
  ParsedJson& operator=(const ParsedJson&) = delete;

  bool is_json() const { return error_ == simdjson::SUCCESS; }
  // Why it is no JSON, or none that can be read.
  const char* why() const {
    switch (error_) {
      case simdjson::CAPACITY:
      case simdjson::MEMALLOC:
        return "it is too large";
      case simdjson::DEPTH_ERROR:
        return "it is nested too deeply";
      case simdjson::NUMBER_ERROR:
        return "it is not JSON, or has a number of more than 64 bits";
      default:
        return "it is not JSON";
    }
  }
  bool is_object() const { return is_object_; }
  const Object& object() const { return object_; }  // must be one
  // A member that is a text.
  std::optional<std::string_view> text(std::string_view key) const {
    std::string_view out;
    if (!is_object_ || object_.at_key(key).get(out)) return std::nullopt;
    return out;
  }

 private:
  simdjson::dom::parser parser_;
  Object object_;
  simdjson::error_code error_;
  bool is_object_ = false;
};

// Exit::kData where the text is no JSON object, from which alone members can be read.
inline Result<void> check_object(const ParsedJson& json, const Document& document) {
  if (!json.is_json()) return document.not_one(json.why());
  if (!json.is_object()) return document.not_one("it is JSON, but no object");
  return {};
}

}  // namespace compmond::archive
