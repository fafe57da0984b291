// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

// JSON as a tree that remembers where each value stood, so that every message can name a line.
namespace compmond::spec {

struct Node {
  enum class Kind { kNull, kBool, kNumber, kString, kArray, kObject };

  Kind kind = Kind::kNull;
  size_t offset = 0;           // byte offset of the value in the text
  std::string key;             // inside an object
  size_t key_offset = 0;       // likewise
  std::string text;            // kString
  double number = 0;           // kNumber
  bool truth = false;          // kBool
  std::vector<Node> children;  // kArray, kObject: in the order of the text

  const Node* find(std::string_view wanted) const;
  const char* kind_name() const;  // "a string", "an object", ...
};

// "file:line:column", and " at POINTER" where there is one. Line and column count from 1, the
// column in characters.
std::string place(std::string_view json, const std::string& path, size_t offset,
                  const std::string& pointer);

// Parses JSON of at most limits::kSpecBytes and kSpecDepth. A duplicate key is an error. Takes no
// more stack for deeper input. Errors are Exit::kData and name the place.
Result<Node> parse_json(std::string_view json, const std::string& path);

}  // namespace compmond::spec
