// SPDX-License-Identifier: Apache-2.0
// What a log makes its reader keep.
#include <doctest/doctest.h>

#include "core/limits.h"
#include "recording/log_file.h"
#include "support/log_scene.h"

using namespace compmond;
using namespace compmond::recording;
using record::EventKind;

namespace {

// Counts what it gets.
struct Tally : record::EventSink {
  void on_thread(record::ThreadId, const record::ThreadInfo&) override { ++threads; }
  void on_events(record::ThreadId, std::span<const record::Event> events) override {
    for (const record::Event& event : events) ++count[size_t(event.kind)];
  }
  size_t of(EventKind kind) const { return count[size_t(kind)]; }
  size_t threads = 0;
  size_t count[16] = {};
};

void write_chunk(const std::string& path, ChunkHead head, const std::string& payload) {
  auto file = *LogFile::create(path, 0);
  REQUIRE(file.begin(small_header()));
  const std::string bytes = seal(head, payload);
  REQUIRE(file.append(head, bytes));
  REQUIRE(file.finish());
}

}  // namespace

TEST_CASE("reader: where memory is used up, the rest is passed over and told") {
  const TemporaryFolder folder;
  const std::string path = folder.file("log");
  write_small_log(path, 10);
  auto whole = *LogReader::open(path);
  const Read all = read_all(whole);
  auto reader = *LogReader::open(path);
  Tally tally;
  REQUIRE(reader.next(tally));
  reader.bound_by(MemoryBound(1));
  while (reader.next(tally)) {
  }
  REQUIRE(reader.damage().size() == 1);
  const Damage& rest = reader.damage().front();
  CHECK(rest.no_room == 1);
  CHECK(tally.of(EventKind::kEntry) + tally.of(EventKind::kExit) + rest.events == all.events);
  CHECK(tally.of(EventKind::kLoss) == 2);  // of each thread: what is open is not known any more
  CHECK(rest.bytes > 0);
  CHECK(rest.to_ns == reader.end_ns());
  CHECK(sentence(rest, kSceneStart).find("not read: 0 MiB of memory are used up") !=
        std::string::npos);
  reader.rewind();
  reader.bound_by(MemoryBound(SIZE_MAX));
  CHECK(read_all(reader).events == all.events);
}

TEST_CASE(
    "reader: of more threads than there may be the oldest end, and what they were in is lost") {
  constexpr uint32_t kMost = 4 * limits::kThreadSlots, kMore = 100;
  const TemporaryFolder folder;
  Block block;
  for (uint32_t i = 0; i < kMost + kMore; ++i) {
    block.threads.push_back({i, {100, 100 + i, 5, "worker"}});
    block.steps.push_back({Block::Call::kEvents, i, 1, 0});
    block.events.push_back(event(EventKind::kEntry, kSceneStart + i, 0, 0x7000));
  }
  ChunkHead head;
  const std::string payload = encode(block, head);
  write_chunk(folder.file("log"), head, payload);
  auto reader = *LogReader::open(folder.file("log"));
  Tally tally;
  while (reader.next(tally)) {
  }
  CHECK(tally.threads == kMost + kMore);
  CHECK(tally.of(EventKind::kThreadExit) == kMore);
  CHECK(tally.of(EventKind::kLoss) == kMore);
}

TEST_CASE("reader: a text that unpacks to thousands of times its size is damage") {
  const TemporaryFolder folder;
  State state = small_header().state;
  state.as_of_ns = kSceneStart + 7;
  const std::string text = to_json(state);
  for (const bool bomb : {false, true}) {
    ChunkHead head;
    head.type = ChunkType::kState;
    const size_t spaces = limits::kLogTextFree + (bomb ? 16u << 20 : 0) - 2 * text.size();
    write_chunk(folder.file("log"), head, text + std::string(spaces, ' '));
    auto reader = *LogReader::open(folder.file("log"));
    CHECK((reader.last_state().as_of_ns == state.as_of_ns) == !bomb);
  }
}
