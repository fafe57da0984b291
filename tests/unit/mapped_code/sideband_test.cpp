// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <linux/perf_event.h>
#include <sys/sysmacros.h>

#include <cstring>
#include <string>
#include <vector>

#include "mapped_code/sideband_record.h"

using namespace compmond::sampler;

namespace {

using Bytes = std::vector<std::byte>;

template <class T>
void put(Bytes& to, const T& value) {
  const auto* from = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), from, from + sizeof value);
}

// A record as the kernel writes it, with its time at the end.
Bytes record(uint32_t type, uint16_t misc, const Bytes& body, uint64_t time_ns) {
  Bytes out;
  put(out, perf_event_header{type, misc, uint16_t(sizeof(perf_event_header) + body.size() + 8)});
  out.insert(out.end(), body.begin(), body.end());
  put(out, time_ns);
  return out;
}

Bytes mmap_body(uint32_t pid, uint64_t address, uint64_t length, const std::string& path) {
  Bytes body;
  put(body, pid);
  put(body, pid);
  put(body, address);
  put(body, length);
  put(body, uint64_t(0x2000));  // offset
  put(body, uint32_t(8));       // major
  put(body, uint32_t(1));       // minor
  put(body, uint64_t(77));      // inode
  put(body, uint64_t(0));       // its generation
  put(body, uint32_t(5));       // protection
  put(body, uint32_t(2));       // flags
  for (const char c : path) put(body, c);
  do put(body, '\0');
  while (body.size() % 8 != 0);
  return body;
}

Bytes mmap2(uint32_t pid, const std::string& path = "/bin/true", uint64_t time_ns = 5) {
  return record(PERF_RECORD_MMAP2, 0, mmap_body(pid, 0x1000, 0x3000, path), time_ns);
}

Bytes comm(uint16_t misc, uint64_t time_ns) {
  Bytes body;
  put(body, uint32_t(12));
  put(body, uint32_t(12));
  put(body, "abcdefg");
  return record(PERF_RECORD_COMM, misc, body, time_ns);
}

struct Parsed {
  std::vector<SidebandEvent> events;
  size_t malformed = 0;
};

bool anybody(uint32_t) { return true; }

Parsed parse(const Bytes& bytes, const std::function<bool(uint32_t)>& wanted = anybody) {
  Parsed out;
  out.malformed = parse_sideband(bytes, wanted, out.events);
  return out;
}

Bytes operator+(Bytes a, const Bytes& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("sideband: a mapping is told with its file") {
  const auto [events, malformed] = parse(mmap2(12));
  REQUIRE(events.size() == 1);
  CHECK(malformed == 0);
  CHECK(events[0].time_ns == 5);
  const auto& mapped = std::get<CodeMapped>(events[0].what);
  CHECK(mapped.pid == 12);
  CHECK(mapped.start == 0x1000);
  CHECK(mapped.end == 0x4000);
  CHECK(mapped.offset == 0x2000);
  CHECK(mapped.device == makedev(8, 1));
  CHECK(mapped.inode == 77);
  CHECK(mapped.path == "/bin/true");
}

TEST_CASE("sideband: a name that is changed by exec is told, others are not") {
  const auto [events, malformed] = parse(comm(0, 1) + comm(PERF_RECORD_MISC_COMM_EXEC, 2));
  REQUIRE(events.size() == 1);
  CHECK(malformed == 0);
  CHECK(events[0].time_ns == 2);
  CHECK(std::get<Executed>(events[0].what).pid == 12);
}

TEST_CASE("sideband: of processes that are not wanted nothing is told, but what was lost is") {
  Bytes body;
  put(body, uint64_t(13));
  put(body, uint64_t(9));
  const auto [events, malformed] =
      parse(mmap2(12) + mmap2(13) + comm(PERF_RECORD_MISC_COMM_EXEC, 2) +
                record(PERF_RECORD_LOST, 0, body, 3),
            [](uint32_t pid) { return pid == 13; });
  REQUIRE(events.size() == 2);
  CHECK(std::get<CodeMapped>(events[0].what).pid == 13);
  CHECK(std::get<SidebandLost>(events[1].what).records == 9);
  CHECK(malformed == 0);
}

TEST_CASE("sideband: records that were lost are told") {
  Bytes body;
  put(body, uint64_t(1));
  put(body, uint64_t(9));
  const auto [events, malformed] = parse(record(PERF_RECORD_LOST, 0, body, 3));
  REQUIRE(events.size() == 1);
  CHECK(std::get<SidebandLost>(events[0].what).records == 9);
  CHECK(malformed == 0);
}

TEST_CASE("sideband: a record of another kind is skipped, and what follows is found") {
  const auto [events, malformed] = parse(record(PERF_RECORD_EXIT, 0, Bytes(24), 1) + mmap2(12));
  CHECK(events.size() == 1);
  CHECK(malformed == 0);
}

TEST_CASE("sideband: a mapping told with a build id has no inode") {
  const auto parsed =
      parse(record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID, mmap_body(1, 1, 1, "/x"), 1));
  REQUIRE(parsed.events.size() == 1);
  CHECK(std::get<CodeMapped>(parsed.events[0].what).inode == 0);
}

TEST_CASE("sideband: a path without its end is cut where the record ends") {
  Bytes body = mmap_body(1, 1, 1, "/xxxxxx");
  std::memset(body.data() + body.size() - 8, 'y', 8);
  const auto parsed = parse(record(PERF_RECORD_MMAP2, 0, body, 1));
  REQUIRE(parsed.events.size() == 1);
  CHECK(std::get<CodeMapped>(parsed.events[0].what).path == "yyyyyyyy");
}

TEST_CASE("sideband: a size of nothing ends it") {
  Bytes bytes = mmap2(12) + mmap2(13);
  const uint16_t none = 0;
  std::memcpy(bytes.data() + bytes.size() / 2 + 6, &none, 2);
  const auto [events, malformed] = parse(bytes);
  CHECK(events.size() == 1);
  CHECK(malformed == 1);
}

TEST_CASE("sideband: a size beyond the end ends it") {
  Bytes bytes = mmap2(12);
  bytes.pop_back();
  const auto [events, malformed] = parse(bytes);
  CHECK(events.empty());
  CHECK(malformed == 1);
}

TEST_CASE("sideband: half a header ends it") {
  const auto [events, malformed] = parse(mmap2(12) + Bytes(4));
  CHECK(events.size() == 1);
  CHECK(malformed == 1);
}

TEST_CASE("sideband: a mapping too short for its fields is malformed, what follows is found") {
  for (const uint32_t type : {PERF_RECORD_MMAP2, PERF_RECORD_LOST}) {
    const auto [events, malformed] = parse(record(type, 0, Bytes(8), 1) + mmap2(12));
    CHECK(events.size() == 1);
    CHECK(malformed == 1);
  }
}

TEST_CASE("sideband: an exec without a pid is malformed") {
  const auto [events, malformed] =
      parse(record(PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, {}, 1));
  CHECK(events.empty());
  CHECK(malformed == 1);
}

TEST_CASE("sideband: a record without room for its time is malformed") {
  Bytes bytes;
  put(bytes, perf_event_header{PERF_RECORD_MMAP2, 0, uint16_t(sizeof(perf_event_header))});
  CHECK(parse(bytes).malformed == 1);
}

TEST_CASE("sideband: memory without a length, or around the end of all, is malformed") {
  const auto of = [](uint64_t address, uint64_t length) {
    return parse(record(PERF_RECORD_MMAP2, 0, mmap_body(1, address, length, "/x"), 1));
  };
  CHECK(of(0x1000, 0).malformed == 1);
  CHECK(of(UINT64_MAX - 5, 10).malformed == 1);
}
