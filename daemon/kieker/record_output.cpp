// SPDX-License-Identifier: Apache-2.0
#include "kieker/record_output.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "base/safe_file.h"

namespace compmond::kieker {
namespace {

constexpr size_t kFlushBytes = 64 << 10;  // far above what a write call costs

// A separator ends a field of a line, but not one of the map.
std::string escaped(std::string_view text, bool in_line) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || (c == ';' && in_line))
      out += {'\\', c};
    else if (c == '\n' || c == '\r')
      out += {'\\', c == '\n' ? 'n' : 'r'};
    else
      out += c;
  }
  return out;
}

}  // namespace

Result<RecordOutput> RecordOutput::open(const std::string& folder, Encoding encoding) {
  const std::string what = fmt::format("cannot write a log of Kieker to '{}'", folder);
  const char* next = "Name a folder that does not exist yet, in one with room and permission.";
  if (::mkdir(folder.c_str(), 0755) != 0) {
    if (errno != EEXIST) return fail_errno(Exit::kCantCreate, what, errno, next);
    std::error_code error;
    if (!std::filesystem::is_empty(folder, error) || error)
      return fail(Exit::kCantCreate, what, error ? error.message() : "it is not empty", next);
  }
  const char* const ending = encoding == Encoding::kText ? "dat" : "bin";
  auto place = FilePlace::open(fmt::format("{}/kieker-000-compmond.{}", folder, ending));
  if (!place) return Unexpected(std::move(place.error()));
  auto data = FreshFile::create(*place);
  if (!data) return Unexpected(std::move(data.error()));
  return RecordOutput(place->beside("kieker.map"), encoding, std::move(*data));
}

int32_t RecordOutput::id(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  names_.emplace_back(text);
  return ids_.emplace(names_.back(), int32_t(names_.size() - 1)).first->second;
}

// As Java writes it: the highest byte first.
template <class Number>
void RecordOutput::put(Number value) {
  std::array<char, sizeof value> bytes;
  static_assert(std::endian::native == std::endian::little);
  std::memcpy(bytes.data(), &value, sizeof value);
  std::reverse(bytes.begin(), bytes.end());
  buffer_.append(bytes.data(), bytes.size());
}

void RecordOutput::begin(std::string_view class_name, uint64_t logged_ns) {
  if (encoding_ == Encoding::kText) {
    fmt::format_to(std::back_inserter(buffer_), "${};{}", id(class_name), logged_ns);
    return;
  }
  put(id(class_name));
  put(int64_t(logged_ns));
}

void RecordOutput::number(int64_t value) {
  if (encoding_ == Encoding::kText)
    fmt::format_to(std::back_inserter(buffer_), ";{}", value);
  else
    put(value);
}

void RecordOutput::small_number(int32_t value) {
  if (encoding_ == Encoding::kText)
    number(value);
  else
    put(value);
}

void RecordOutput::truth(bool value) {
  if (encoding_ == Encoding::kText)
    buffer_ += value ? ";true" : ";false";
  else
    buffer_ += char(value);
}

void RecordOutput::text(std::string_view value) {
  if (encoding_ == Encoding::kText)
    buffer_.append(1, ';').append(escaped(value, true));
  else
    put(id(value));
}

void RecordOutput::end() {
  if (encoding_ == Encoding::kText) buffer_ += '\n';
  if (buffer_.size() >= kFlushBytes) flush();
}

void RecordOutput::flush() {
  if (written_) written_ = data_.append(buffer_);
  buffer_.clear();
}

Result<void> RecordOutput::commit() {
  flush();
  if (!written_) return std::move(written_);
  if (auto synced = data_.sync(); !synced) return synced;
  if (auto published = data_.publish(); !published) return published;
  std::string map;
  for (size_t i = 0; i < names_.size(); ++i)
    fmt::format_to(std::back_inserter(map), "${}={}\n", i, escaped(names_[i], false));
  return write_file_whole(map_, map);
}

}  // namespace compmond::kieker
