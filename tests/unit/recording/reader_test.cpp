// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include "recording/log_reader.h"
#include "support/log_scene.h"

using namespace compmond;
using namespace compmond::recording;

namespace {

constexpr uint64_t kBlocks = 4;
constexpr size_t kBlockEvents = 24;

uint64_t bytes_damaged(const Read& read) {
  uint64_t sum = 0;
  for (const Damage& damage : read.damage) sum += damage.bytes;
  return sum;
}

uint64_t events_missing(const Read& read) {
  uint64_t sum = 0;
  for (const Damage& damage : read.damage) sum += damage.events;
  return sum;
}

// Lines of `whole` that `part` has in the same order, losses and announcements left out.
bool is_part_of(const Read& part, const Read& whole) {
  size_t at = 0;
  for (const std::string& line : part.lines) {
    if (line.find(" 6 0 0 ") != std::string::npos || line.starts_with("thread")) continue;
    while (at < whole.lines.size() && whole.lines[at] != line) ++at;
    if (at++ == whole.lines.size()) return false;
  }
  return true;
}

struct SmallLog {
  SmallLog() {
    write_small_log(path, kBlocks);
    bytes = content_of(path);
    whole = *read_log(path);
  }
  Result<Read> read(std::string_view changed) const {
    write_content(folder.file("changed"), changed);
    return read_log(folder.file("changed"));
  }
  TemporaryFolder folder;
  std::string path = folder.file("small.log");
  std::string bytes;
  Read whole;
};

}  // namespace

TEST_CASE("reader: a log is read as it was written, as often as wanted") {
  const SmallLog log;
  CHECK(log.whole.events == kBlocks * kBlockEvents);
  CHECK(log.whole.lines.size() == kBlocks * kBlockEvents + 2);
  CHECK(log.whole.lines[0] == "thread 0 is 100 100 worker");
  CHECK(log.whole.damage.empty());
  CHECK(log.whole.state.ended);
  auto reader = *LogReader::open(log.path);
  CHECK(reader.events() == kBlocks * kBlockEvents);
  CHECK(reader.begin_ns() == kSceneStart);
  CHECK(reader.end_ns() == kSceneStart + kBlocks * 1'000'000);
  CHECK(reader.header().components[1].path == "A/B");
  CHECK(read_all(reader).lines == log.whole.lines);
  reader.rewind();
  CHECK(read_all(reader).lines == log.whole.lines);
}

TEST_CASE("reader: a log cut off anywhere is read up to there, and the rest is reported") {
  const SmallLog log;
  size_t readable = 0;
  for (size_t size = 0; size < log.bytes.size(); ++size) {
    CAPTURE(size);
    const auto read = log.read(std::string_view(log.bytes).substr(0, size));
    if (!read) {
      CHECK(read.error().code == Exit::kData);
      CHECK(readable == 0);
      continue;
    }
    ++readable;
    CHECK(is_part_of(*read, log.whole));
    CHECK(read->events % kBlockEvents == 0);
    if (read->state.ended) CHECK(read->events == log.whole.events);
  }
  CHECK(readable > log.bytes.size() / 2);
}

TEST_CASE("reader: whichever byte is flipped, all other chunks are read and the damage told") {
  const SmallLog log;
  for (size_t i = 0; i < log.bytes.size(); ++i) {
    CAPTURE(i);
    std::string changed = log.bytes;
    changed[i] = char(changed[i] ^ 0x40);
    const auto read = log.read(changed);
    REQUIRE(read);
    CHECK(is_part_of(*read, log.whole));
    CHECK(bytes_damaged(*read) > 0);
    CHECK(read->events + events_missing(*read) == log.whole.events);
    CHECK(read->events >= (kBlocks - 1) * kBlockEvents);
    if (read->events == log.whole.events) {
      CHECK(read->losses == 0);
      CHECK(events_missing(*read) == 0);
      continue;
    }
    REQUIRE(read->damage.size() == 1);
    const Damage& damage = read->damage[0];
    CHECK(damage.offset <= i);
    CHECK(damage.offset + damage.bytes > i);
    CHECK(damage.from_ns < damage.to_ns);
  }
}

TEST_CASE("reader: what is open across missing events is told as lost on every thread") {
  const SmallLog log;
  const size_t second = log.bytes.find(kChunkMagic, log.bytes.size() / 2);
  REQUIRE(second != std::string::npos);
  std::string changed = log.bytes;
  changed[second + kHeadBytes] ^= 1;
  const auto read = log.read(changed);
  REQUIRE(read);
  REQUIRE(events_missing(*read) == kBlockEvents);
  CHECK(read->losses == 2);
  const uint64_t to_ns = read->damage[0].to_ns;
  CHECK(std::count(read->lines.begin(), read->lines.end(), fmt::format("0 {} 6 0 0 0 0", to_ns)) ==
        1);
}

TEST_CASE("reader: bytes cut out, put in or doubled cost only the chunks that they touch") {
  const SmallLog log;
  for (size_t i = 0; i < log.bytes.size(); i += 7) {
    CAPTURE(i);
    for (const std::string& changed :
         {log.bytes.substr(0, i) + log.bytes.substr(std::min(log.bytes.size(), i + 5)),
          log.bytes.substr(0, i) +
              "\x89"
              "CMLOG" +
              log.bytes.substr(i),
          log.bytes.substr(0, i) + log.bytes.substr(i / 2)}) {
      CAPTURE(changed.size());
      const auto read = log.read(changed);
      REQUIRE(read);
      CHECK(is_part_of(*read, log.whole));
      CHECK(read->events >= (kBlocks - 2) * kBlockEvents);  // a border between two may be hit
      CHECK((changed == log.bytes || !read->damage.empty()));
    }
  }
}

TEST_CASE("reader: seek begins with the chunk that holds the time") {
  const SmallLog log;
  auto reader = *LogReader::open(log.path);
  reader.seek(kSceneStart + 2'000'000);
  const Read part = read_all(reader);
  CHECK(part.events == 2 * kBlockEvents);
  CHECK(part.losses == 0);
  CHECK(part.damage.empty());
  CHECK(is_part_of(part, log.whole));
  reader.seek(UINT64_MAX);
  CHECK(read_all(reader).events == 0);
  reader.rewind();
  CHECK(read_all(reader).lines == log.whole.lines);
}

TEST_CASE("reader: without its index a log is the same") {
  const SmallLog log;
  const size_t index = log.bytes.rfind(kChunkMagic);
  const auto read = log.read(std::string_view(log.bytes).substr(0, index));
  REQUIRE(read);
  CHECK(read->lines == log.whole.lines);
  CHECK(read->damage.empty());
}

TEST_CASE("reader: what is no log, or not there, is refused with the reason") {
  const TemporaryFolder folder;
  CHECK(read_log(folder.file("none")).error().code == Exit::kNoInput);
  CHECK(read_log("/dev/null").error().code == Exit::kNoInput);
  for (const std::string& text : {std::string(), std::string("{}"), std::string(100'000, 'x')}) {
    write_content(folder.file("text"), text);
    const auto read = read_log(folder.file("text"));
    REQUIRE(!read);
    CHECK(read.error().code == Exit::kData);
    CHECK(!read.error().next.empty());
  }
}
