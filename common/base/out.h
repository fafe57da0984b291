// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>
#include <utility>

namespace compmond {

// Where renderers put text; large results never stand in memory as a whole. Failures to write are
// the business of who owns the file behind it.
class Out {
 public:
  virtual ~Out() = default;

  void put(std::string_view text) {
    buffer_ += text;
    if (buffer_.size() >= kFlushBytes) flush();
  }
  template <class... T>
  void format(fmt::format_string<T...> format, T&&... values) {
    fmt::format_to(std::back_inserter(buffer_), format, std::forward<T>(values)...);
    if (buffer_.size() >= kFlushBytes) flush();
  }
  void flush() {
    drain(buffer_);
    buffer_.clear();
  }

 protected:
  virtual void drain(std::string_view text) = 0;

 private:
  static constexpr size_t kFlushBytes = 64 << 10;  // far above what a write call costs
  std::string buffer_;
};

// The path of an output that is no file.
inline bool is_stdout(std::string_view path) { return path == "-"; }

class StringOut : public Out {
 public:
  std::string text() {
    flush();
    return text_;
  }

 protected:
  void drain(std::string_view text) override { text_ += text; }

 private:
  std::string text_;
};

}  // namespace compmond
