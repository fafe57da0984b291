// SPDX-License-Identifier: Apache-2.0
#include "log_format/codec.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include "support/log_scene.h"

using namespace compmond;
using namespace compmond::recording;
using record::Event;
using record::EventKind;

namespace {

bool same(const Event& a, const Event& b) {
  return a.time_ns == b.time_ns && a.sp == b.sp && a.arg == b.arg && a.op == b.op &&
         a.kind == b.kind && a.flags == b.flags;
}

bool same(const Block& a, const Block& b) {
  const auto thread = [](const Block::Thread& x, const Block::Thread& y) {
    return x.id == y.id && x.info.pid == y.info.pid && x.info.tid == y.info.tid &&
           x.info.start_ns == y.info.start_ns && x.info.name == y.info.name;
  };
  return a.first_event == b.first_event && a.steps == b.steps &&
         std::equal(a.threads.begin(), a.threads.end(), b.threads.begin(), b.threads.end(),
                    thread) &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                    [](const Event& x, const Event& y) { return same(x, y); });
}

// Whatever one number can say: ordinary calls mostly, odd events now and then.
Event event_from(uint32_t number, uint64_t& time, uint64_t& sp) {
  Event out;
  const uint32_t what = number % 16;
  time += number % 8 == 7 ? uint64_t(number) << 20 : (number >> 4) % 5000;
  out.time_ns = number % 97 == 0 ? time - number % 1000 : time;
  out.op = (number >> 8) % 300;
  if (what < 7) {
    sp -= 16 * (1 + number % 9);
    out.kind = EventKind::kEntry;
    out.flags = uint8_t((number >> 20) % 8);
  } else if (what < 14) {
    out.kind = EventKind::kExit;
  } else {
    out.kind = EventKind(2 + number / 16 % 8);
    out.arg = number % 3 == 0 ? uint64_t(number) << 32 : number % 100;
    return out;
  }
  out.sp = number % 53 == 0 ? number : sp;
  if (number % 101 == 0) out.arg = number;
  if (out.kind == EventKind::kExit) sp += 16;
  if (number % 211 == 0) out.flags = uint8_t(number);
  return out;
}

}  // namespace

TEST_CASE("codec: any events come out of a chunk as they went in") {
  CHECK(rc::check("round trip", [](const std::vector<std::vector<uint32_t>>& runs) {
    Block block;
    block.first_event = 12345;
    std::vector<uint64_t> time(4, 1u << 30), sp(4, 0x7fff'0000);
    for (uint32_t i = 0; i < 4; ++i)
      block.threads.push_back({i * 7, {i, i + 1, i * 1000, std::string(i, 'n')}});
    for (size_t i = 0; i < runs.size(); ++i) {
      const uint32_t thread = runs[i].empty() ? 0 : runs[i][0] % 4;
      block.steps.push_back({runs[i].empty() ? Block::Call::kThread : Block::Call::kEvents,
                             thread * 7, uint32_t(runs[i].size()), 0});
      for (const uint32_t number : runs[i])
        block.events.push_back(event_from(number, time[thread], sp[thread]));
    }
    if (runs.size() % 3 == 0)
      block.steps.push_back({Block::Call::kInterrupt, 0, 0, uint64_t(1) << 31});
    ChunkHead head;
    const std::string payload = encode(block, head);
    const std::string bytes = seal(head, payload);
    const auto parsed = parse_head(bytes);
    RC_ASSERT(parsed && *parsed == head);
    const auto unpacked = unseal(*parsed, std::string_view(bytes).substr(kHeadBytes));
    RC_ASSERT(unpacked.has_value());
    const auto decoded = decode(*parsed, *unpacked);
    RC_ASSERT(decoded.has_value());
    RC_ASSERT(same(*decoded, block));
  }));
}

TEST_CASE("codec: nested calls of a real rhythm take at most four bytes per event") {
  Block block;
  block.threads.push_back({0, {1, 1, 1, "t"}});
  uint64_t time = 1'000'000'000'000, sp = 0x7ffd'1234'5670;
  uint64_t noise = 1;
  const auto tick = [&] {
    noise = noise * 6364136223846793005u + 1442695040888963407u;
    return time += 300 + (noise >> 50);  // up to 16 µs apart, nothing to be guessed about it
  };
  for (int i = 0; i < 4000; ++i) {
    block.events.push_back(event(EventKind::kEntry, tick(), 3, sp));
    for (uint32_t j = 0; j < 3; ++j) {
      block.events.push_back(event(EventKind::kEntry, tick(), 10 + j, sp - 0x80 - 0x10 * j));
      block.events.push_back(event(EventKind::kExit, tick(), 10 + j, sp - 0x80 - 0x10 * j));
    }
    block.events.push_back(event(EventKind::kExit, tick(), 3, sp));
  }
  block.steps.push_back({Block::Call::kEvents, 0, uint32_t(block.events.size()), 0});
  ChunkHead head;
  const std::string payload = encode(block, head);
  CHECK(seal(head, payload).size() <= 4 * block.events.size());
}

TEST_CASE("codec: a payload that is cut short or says more than its head is refused") {
  const Block block = small_block(0);
  ChunkHead head;
  const std::string payload = encode(block, head);
  REQUIRE(decode(head, payload));
  for (size_t size = 0; size < payload.size(); ++size)
    CHECK(!decode(head, std::string_view(payload).substr(0, size)));
  CHECK(!decode(head, payload + payload));
  ChunkHead fewer = head;
  fewer.events = head.events - 1;
  CHECK(!decode(fewer, payload));
}

TEST_CASE("header: header and state come out of their JSON as they went in") {
  Header header = small_header();
  header.spec_text = "{\"schema\": \"…\"}";
  header.operations[1].refused = true;
  header.operations[1].reason = "an IFUNC";
  header.operations[0].outside_ns = 0.1 + 0.2;
  header.connections = {{0, 1}};
  const auto again = header_from_json(to_json(header));
  REQUIRE(again);
  CHECK(to_json(*again) == to_json(header));
  CHECK(again->operations == header.operations);
  State state = header.state;
  state.ended = true;
  state.changes.emplace_back();
  state.changes[0].op = 1;
  state.changes[0].paused = true;
  state.changes[0].reason = "too dear";
  state.capture.hits = UINT64_MAX;
  const auto state_again = state_from_json(to_json(state), header);
  REQUIRE(state_again);
  CHECK(to_json(*state_again) == to_json(state));
}

TEST_CASE("header: an index out of range, another schema and no JSON are refused") {
  Header header = small_header();
  header.operations[0].component = 2;
  CHECK(!header_from_json(to_json(header)));
  header = small_header();
  header.components[0].parent = 0;
  CHECK(!header_from_json(to_json(header)));
  header = small_header();
  header.connections = {{0, -1}};
  CHECK(!header_from_json(to_json(header)));
  header = small_header();
  header.state.changes.emplace_back().op = 2;
  CHECK(!header_from_json(to_json(header)));
  std::string text = to_json(small_header());
  text.replace(text.find("compmond.log/1"), 14, "compmond.log/2");
  CHECK(!header_from_json(text));
  CHECK(!header_from_json("[]"));
  CHECK(!header_from_json("{"));
}
