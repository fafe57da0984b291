// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/fresh_file.h"
#include "base/result.h"
#include "core/string_map.h"

namespace compmond::kieker {

enum class Encoding { kText, kBinary };

// A log of Kieker on its way to a folder: kieker.map, and one .dat or .bin file of records. Between
// begin() and end() come a record's fields, in the order of its definition.
class RecordOutput {
 public:
  // Makes the folder. Exit::kCantCreate when it exists and is not empty, or cannot be made.
  static Result<RecordOutput> open(const std::string& folder, Encoding encoding);

  void begin(std::string_view class_name, uint64_t logged_ns);
  void number(int64_t value);
  void small_number(int32_t value);
  void truth(bool value);
  void text(std::string_view value);
  void end();
  // The first failure of all that was written, too.
  Result<void> commit();

 private:
  RecordOutput(FilePlace map, Encoding encoding, FreshFile data)
      : map_(std::move(map)), encoding_(encoding), data_(std::move(data)) {}
  int32_t id(std::string_view text);
  template <class Number>
  void put(Number value);
  void flush();

  FilePlace map_;  // once all is written
  Encoding encoding_;
  FreshFile data_;
  Result<void> written_;
  std::string buffer_;
  StringMap<int32_t> ids_;  // what the map names: types, in binary also texts
  std::vector<std::string> names_;
};

}  // namespace compmond::kieker
