// SPDX-License-Identifier: Apache-2.0
#include "history/context_ring.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <atomic>
#include <thread>

using namespace compmond;
using namespace compmond::history;
using record::ContextKind;
using record::ContextType;
using trace::Context;

namespace {

constexpr size_t kBudget = 256 << 10;

Context text(const std::string& value) {
  return {ContextKind::kSessionId, ContextType::kString, 0, value, false};
}
Context number(uint64_t value) {
  return {ContextKind::kGive, ContextType::kPointer, value, {}, false};
}
std::string show(const ContextRing::Said& said) {
  const Context& c = said.context;
  return fmt::format("{}.{} {}{} {}", said.trace_id, said.eoi, int(c.kind), int(c.type),
                     c.type == ContextType::kString ? c.text : fmt::to_string(c.number));
}
std::vector<std::string> show(const ContextRing& ring, uint64_t first, uint64_t last) {
  std::vector<std::string> out;
  for (const auto& said : ring.of_traces(first, last)) out.push_back(show(said));
  return out;
}
using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("context ring: what was said comes back, of the traces asked for") {
  ContextRing ring(kBudget);
  CHECK(ring.empty());
  CHECK(ring.memory_bytes() == 0);
  ring.add(5, 0, number(~uint64_t(0)));
  ring.add(7, 3'000'000'000u, text("a session's name"));
  ring.add(6, 1, text(""));
  ring.add(7, 2, text(std::string(300, 'x')));
  CHECK_FALSE(ring.empty());
  CHECK(show(ring, 5, 6) == Lines{"5.0 22 18446744073709551615", "6.1 13 "});
  CHECK(show(ring, 7, 7) ==
        Lines{"7.3000000000 13 a session's name", "7.2 13 " + std::string(255, 'x')});
  CHECK(show(ring, 8, 9).empty());
}

TEST_CASE("context ring: the oldest goes when the room is used up, and is told") {
  ContextRing ring(kBudget);
  uint64_t trace = 1;
  for (; ring.lost_up_to() == 0; ++trace) ring.add(trace, 0, number(trace * 3));
  CHECK(ring.memory_bytes() <= kBudget);
  const uint64_t lost = ring.lost_up_to();
  CHECK(lost < trace);
  const auto left = ring.of_traces(0, UINT64_MAX);
  REQUIRE(left.size() == trace - 1 - lost);
  for (size_t i = 0; i < left.size(); ++i) {
    CHECK(left[i].trace_id == lost + 1 + i);
    CHECK(left[i].context.number == left[i].trace_id * 3);
  }
}

TEST_CASE("context ring: readers meet whole ones while the writer goes on") {
  constexpr uint64_t kCount = 200'000;
  ContextRing ring(kBudget);
  std::atomic<uint64_t> written{0};
  std::atomic<bool> wrong{false};
  const auto value = [](uint64_t n) { return fmt::format("{:0{}}", n, n % 60); };
  std::thread reader([&] {
    uint64_t last = 0;
    do {
      last = written.load(std::memory_order_acquire);
      const uint64_t lost = ring.lost_up_to();
      uint64_t next = std::max(last - std::min<uint64_t>(last, 500), lost) + 1;
      for (const auto& said : ring.of_traces(next, last)) {
        // What went meanwhile is missing at the beginning.
        if (said.trace_id < next || said.context.text != value(said.trace_id)) wrong = true;
        next = said.trace_id + 1;
      }
      if (next != last + 1 && ring.lost_up_to() < last) wrong = true;
    } while (last < kCount);
  });
  for (uint64_t n = 1; n <= kCount; ++n) {
    ring.add(n, 0, text(value(n)));
    written.store(n, std::memory_order_release);
  }
  reader.join();
  CHECK_FALSE(wrong);
}
