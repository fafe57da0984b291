// SPDX-License-Identifier: Apache-2.0
#include "unwind/perf_map.h"

#include <doctest/doctest.h>

#include <string>

using namespace compmond;
using unwind::PerfMap;

namespace {

PerfMap map_of(std::string_view text) {
  PerfMap out(100);
  out.append(text);
  return out;
}

std::string name_at(PerfMap& map, uint64_t address) {
  const auto* found = map.find(address);
  return found ? found->second.name : "";
}

}  // namespace

TEST_CASE("perf map: a line says where code lies and what it is called") {
  PerfMap map = map_of("7f0000001000 40 first\n7f0000001040 20 LazyCompile:*second /a b.js:3\n");
  CHECK(name_at(map, 0x7f0000000fff).empty());
  CHECK(name_at(map, 0x7f0000001000) == "first");
  CHECK(name_at(map, 0x7f000000103f) == "first");
  CHECK(name_at(map, 0x7f0000001040) == "LazyCompile:*second /a b.js:3");
  CHECK(name_at(map, 0x7f0000001060).empty());
  CHECK(map.lines() == 2);
  CHECK(map.skipped() == 0);
}

TEST_CASE("perf map: numbers may be prefixed, and lines end as elsewhere") {
  PerfMap map = map_of("0x2000 0x10 one\r\n");
  CHECK(name_at(map, 0x200f) == "one");
}

TEST_CASE("perf map: what is no line of code is left out and counted") {
  for (const char* line :
       {"", " ", "1000", "1000 20", "1000 20 ", "zz 20 x", "1000 zz x", "1000  x", "-1 20 x",
        "+1 20 x", "0 1 x", "1000 0 x", "1000 ffffffff x", "ffffffffffffffff 1 x",
        "10000000000000000 1 x", "0x0x1000 1 x", "1000,20,x", " 1000 20 x"}) {
    CAPTURE(line);
    PerfMap map = map_of(std::string(line) + "\n3000 1 good\n");
    CHECK(map.skipped() == 1);
    CHECK(map.size() == 1);
    CHECK(name_at(map, 0x3000) == "good");
  }
}

TEST_CASE("perf map: a line counts once its end is there, however it comes") {
  PerfMap map(100);
  for (const char c : std::string("1000 10 one\n2000 10 two")) map.append(std::string_view(&c, 1));
  CHECK(map.lines() == 1);
  CHECK(name_at(map, 0x1000) == "one");
  CHECK(name_at(map, 0x2000).empty());
  map.append(" of them\n");
  CHECK(name_at(map, 0x2000) == "two of them");
}

TEST_CASE("perf map: of what overlaps the newest line is true, and of the rest the old one") {
  PerfMap map = map_of("1000 30 old\n1010 10 new\n");
  CHECK(name_at(map, 0x100f) == "old");
  CHECK(name_at(map, 0x1010) == "new");
  CHECK(name_at(map, 0x101f) == "new");
  CHECK(name_at(map, 0x1020) == "old");
  map.append("0ff0 100 newest\n");
  CHECK(name_at(map, 0x1010) == "newest");
  CHECK(map.size() == 1);
}

TEST_CASE("perf map: the place of code goes along with what stays of it") {
  PerfMap map = map_of("1000 30 old\n");
  map.find(0x1000)->second.place = 0x500;
  map.append("1000 30 old\n");
  CHECK(map.find(0x1000)->second.place == 0x500);  // the same once more
  map.append("1010 10 new\n");
  CHECK(map.find(0x1000)->second.place == 0x500);
  CHECK(map.find(0x1010)->second.place == 0);
  CHECK(map.find(0x1020)->second.place == 0x520);
}

TEST_CASE("perf map: no more functions are kept than may be, and none is mixed up then") {
  PerfMap map(2);
  map.append("1000 10 a\n2000 10 b\n3000 10 c\n");
  CHECK(map.full());
  CHECK(map.size() == 2);
  CHECK(name_at(map, 0x1000) == "a");
  CHECK(name_at(map, 0x3000).empty());
}

TEST_CASE("perf map: a long name is cut, and an endless line takes no memory") {
  PerfMap map = map_of("1000 10 " + std::string(5000, 'n') + "\n");
  CHECK(name_at(map, 0x1000).size() == limits::kFunctionNameBytes);
  CHECK(name_at(map, 0x1000).ends_with("n…"));
  for (int i = 0; i < 1000; ++i) map.append(std::string(10'000, ' '));
  map.append("\n2000 1 good\n");
  CHECK(name_at(map, 0x2000) == "good");
}
