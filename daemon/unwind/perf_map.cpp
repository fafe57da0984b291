// SPDX-License-Identifier: Apache-2.0
#include "unwind/perf_map.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace compmond::unwind {
namespace {

constexpr uint64_t kMostBytes = 1u << 30;         // of one function
constexpr uint64_t kUserEnd = uint64_t(1) << 47;  // of a program's memory

// A number and the blanks behind it, taken away from `line`.
std::optional<uint64_t> take_hex(std::string_view& line) {
  if (line.starts_with("0x")) line.remove_prefix(2);
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), value, 16);
  line.remove_prefix(size_t(end - line.data()));
  if (error != std::errc() || !line.starts_with(' ')) return std::nullopt;
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  return value;
}

std::string shortened(std::string_view name) {
  constexpr std::string_view kMore = "…";
  if (name.size() <= limits::kFunctionNameBytes) return std::string(name);
  return std::string(name.substr(0, limits::kFunctionNameBytes - kMore.size())).append(kMore);
}

}  // namespace

void PerfMap::append(std::string_view text) {
  for (;;) {
    const size_t end = text.find('\n');
    const std::string_view more = text.substr(0, end);
    if (end != text.npos && begun_.empty()) {
      take(more);
    } else {
      begun_ += more.substr(0, kLineBytes - std::min(begun_.size(), kLineBytes));
      if (end == text.npos) return;
      take(std::exchange(begun_, {}));
    }
    text.remove_prefix(end + 1);
  }
}

void PerfMap::take(std::string_view line) {
  ++lines_;
  line = line.substr(0, kLineBytes);
  while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
  const auto start = take_hex(line);
  const auto size = start ? take_hex(line) : std::nullopt;
  if (!size || *start == 0 || *start >= kUserEnd || *size == 0 || *size > kMostBytes ||
      line.empty()) {
    ++skipped_;
    return;
  }
  const uint64_t end = *start + *size;
  std::string name = shortened(line);
  const auto same = code_.find(*start);
  if (same != code_.end() && same->second.end == end && same->second.name == name) return;
  cut(*start, end);
  full_ = full_ || code_.size() >= most_code_;
  if (!full_) code_.emplace(*start, Code{end, std::move(name), 0});
}

// Nothing lies in [start, end) any more.
void PerfMap::cut(uint64_t start, uint64_t end) {
  auto it = code_.lower_bound(start);
  if (it != code_.begin() && std::prev(it)->second.end > start) --it;
  while (it != code_.end() && it->first < end) {
    const uint64_t from = it->first;
    if (it->second.end > end) {
      Code rest = it->second;
      if (rest.place != 0) rest.place += end - from;
      code_.emplace(end, std::move(rest));
    }
    if (from < start) {
      it->second.end = start;
      ++it;
    } else {
      it = code_.erase(it);
    }
  }
}

PerfMap::Found* PerfMap::find(uint64_t address) {
  const auto behind = code_.upper_bound(address);
  if (behind == code_.begin()) return nullptr;
  Found& found = *std::prev(behind);
  return address < found.second.end ? &found : nullptr;
}

}  // namespace compmond::unwind
