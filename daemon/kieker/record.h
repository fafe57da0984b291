// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace compmond::kieker {

// One record of a log, in text or binary. Views are valid until the next one is read.
struct KiekerRecord {
  std::string_view type;                 // class name, as kieker.common.record.misc.EmptyRecord
  std::string_view name;                 // that without its package
  int64_t logged = -1;                   // when, in the log's own unit; negative: not known
  std::vector<std::string_view> fields;  // those behind the logging timestamp
};

// The number before each record, and of each text of a binary log, and what it stands for.
class KiekerMap {
 public:
  // The text of kieker.map: lines n=text, with or without a $ in front. Exit::kData, `what` being
  // its name.
  static Result<KiekerMap> parse(std::string_view text, const std::string& what);
  // Of a number that has two meanings the later one counts, as in Kieker; each is told here once:
  // "log/kieker.map:7: $3 was 'a.B' before".
  std::vector<std::string> take_doubts() { return std::exchange(doubts_, {}); }
  // nullptr where it names none.
  const std::string* find(int64_t number) const {
    const auto at = texts_.find(number);
    return at == texts_.end() ? nullptr : &at->second;
  }

 private:
  std::map<int64_t, std::string> texts_;
  std::vector<std::string> doubts_;
};

// Undoes \; \\ \n \r in place and gives the new size; any other backslash stays, since older
// writers escaped nothing.
size_t unescape(char* text, size_t size);

std::string_view simple_name(std::string_view class_name);

}  // namespace compmond::kieker
