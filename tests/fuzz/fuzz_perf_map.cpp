// SPDX-License-Identifier: Apache-2.0
// unwind::PerfMap on any text: it says the same however the text comes in pieces, and of each
// address what the newest line says. An input is: how many functions it may keep (u8), bytes of the
// first piece (u8), then the text.
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bytes.h"
#include "check.h"
#include "core/limits.h"
#include "unwind/perf_map.h"

namespace compmond::fuzz {
namespace {

using unwind::PerfMap;

constexpr size_t kMostLines = 400;  // looked at one by one
constexpr size_t kMore = 3;         // bytes of the mark of a cut

// A line by itself.
struct Line {
  uint64_t start = 0, end = 0;
  std::string name;
};

std::optional<Line> read_alone(std::string_view text) {
  PerfMap map(1);
  map.append(text);
  FUZZ_CHECK(map.lines() == 0);
  map.append("\n");
  FUZZ_CHECK(map.lines() == 1 && map.size() + map.skipped() == 1);
  if (map.size() == 0) return std::nullopt;
  // Its numbers, read in another way.
  char* end = nullptr;
  const std::string copy(text.substr(0, PerfMap::kLineBytes));
  const uint64_t start = std::strtoull(copy.c_str(), &end, 16);
  const uint64_t size = std::strtoull(end, nullptr, 16);
  auto* found = map.find(start);
  FUZZ_CHECK(found && found->first == start && found->second.end == start + size);
  FUZZ_CHECK(map.find(start + size - 1) == found);
  FUZZ_CHECK(!map.find(start + size) && !map.find(start - 1));
  FUZZ_CHECK(!found->second.name.empty());
  FUZZ_CHECK(found->second.name.size() <= limits::kFunctionNameBytes + kMore);
  return Line{start, start + size, found->second.name};
}

void check_address(PerfMap& map, const std::vector<Line>& lines, uint64_t address) {
  const Line* newest = nullptr;
  for (const Line& line : lines)
    if (address >= line.start && address < line.end) newest = &line;
  auto* found = map.find(address);
  FUZZ_CHECK((found != nullptr) == (newest != nullptr));
  if (!newest) return;
  FUZZ_CHECK(found->first >= newest->start && found->second.end <= newest->end);
  FUZZ_CHECK(found->second.name == newest->name);
}

void check_against_lines(PerfMap& map, std::string_view text) {
  std::vector<Line> lines;
  size_t count = 0, skipped = 0;
  for (size_t end = 0; (end = text.find('\n')) != text.npos; text.remove_prefix(end + 1)) {
    if (++count > kMostLines) return;
    auto line = read_alone(text.substr(0, end));
    if (line)
      lines.push_back(std::move(*line));
    else
      ++skipped;
  }
  FUZZ_CHECK(map.lines() == count && map.skipped() == skipped);
  if (map.full()) return;
  for (const Line& line : lines)
    for (const uint64_t at : {line.start - 1, line.start, line.end - 1, line.end})
      check_address(map, lines, at);
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace compmond;
  fuzz::Bytes bytes(data, size);
  const size_t most = bytes.take<uint8_t>(), piece = bytes.take<uint8_t>();
  const auto rest = bytes.rest();
  const std::string_view text(reinterpret_cast<const char*>(rest.data()), rest.size());
  unwind::PerfMap whole(most), pieces(most);
  whole.append(text);
  pieces.append(text.substr(0, piece));
  for (size_t at = piece; at < text.size(); at += piece + 1)
    pieces.append(text.substr(at, piece + 1));
  FUZZ_CHECK(whole.size() == pieces.size() && whole.lines() == pieces.lines() &&
             whole.skipped() == pieces.skipped() && whole.full() == pieces.full());
  fuzz::check_against_lines(whole, text);
  fuzz::check_against_lines(pieces, text);
  return 0;
}
