// SPDX-License-Identifier: Apache-2.0
// Recorded logs of the hazard programs (tests/replay/record.py): each replays to what is known of
// it, and stays sane when any one event is missing, doubled, swapped, or the last.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/safe_file.h"
#include "opened.h"
#include "replay/replay_run.h"
#include "trace/tracer.h"

using namespace compmond;
using record::Event;
using replay::test::opened;
using replay::test::run_to_end;

namespace {

namespace fs = std::filesystem;

std::vector<fs::path> golden_logs() {
  std::vector<fs::path> out;
  for (const auto& entry : fs::directory_iterator(SOURCE_DIR "/tests/replay/logs"))
    if (entry.path().extension() == ".log") out.push_back(entry.path());
  std::sort(out.begin(), out.end());
  return out;
}

nlohmann::json expectations(fs::path log) {
  return nlohmann::json::parse(*read_file(log.replace_extension(".json"), 1u << 20));
}

nlohmann::json operations_of(const snapshot::Snapshot& snapshot) {
  nlohmann::json out = nlohmann::json::array();
  for (const snapshot::Component& component : snapshot.components)
    for (const snapshot::Operation& op : component.operations) {
      const snapshot::Figures& f = op.figures;
      out.push_back({{"symbol", op.symbol},
                     {"calls", f.calls},
                     {"open", f.open},
                     {"raw_ns", f.raw_ns},
                     {"real_ns", f.real_ns},
                     {"closed",
                      {{"returned", f.closed.returned},
                       {"abandoned", f.closed.abandoned},
                       {"thread_exit", f.closed.thread_exit},
                       {"exec", f.closed.exec},
                       {"lossy", f.closed.lossy}}}});
    }
  return out;
}

// What must hold for any events whatever.
class Checks : public trace::ExecutionSink {
 public:
  void on_begin(const trace::Begun&) override { ++begun; }
  void on_top(trace::OperationId, uint64_t from_ns, uint64_t to_ns) override {
    sane = sane && from_ns <= to_ns;
  }
  void on_closed(const trace::Execution& e) override {
    ++closed;
    sane = sane && e.end_ns >= e.start_ns && e.nested_ns <= e.end_ns - e.start_ns;
  }
  void on_whole(const trace::Execution& e) override {
    ++begun;
    on_closed(e);
  }
  uint64_t begun = 0, closed = 0;
  bool sane = true;
};

using Stream = std::vector<std::pair<record::ThreadId, Event>>;

bool sane(const Stream& stream, const std::vector<int>& component_of) {
  Checks checks;
  trace::Tracer tracer(component_of, checks);
  for (const auto& [thread, event] : stream) tracer.on_events(thread, {&event, 1});
  return checks.sane && tracer.ledger().balanced() &&
         checks.begun == checks.closed + tracer.ledger().open;
}

// The events of a log one by one, and the components of its operations.
class Collector : public record::EventSink {
 public:
  void on_thread(record::ThreadId, const record::ThreadInfo&) override {}
  void on_events(record::ThreadId thread, std::span<const Event> events) override {
    for (const Event& event : events) stream.emplace_back(thread, event);
  }
  Stream stream;
};

}  // namespace

TEST_CASE("golden logs: there is one of every kind of hazard") {
  CHECK(golden_logs().size() >= 10);
}

TEST_CASE("golden logs: each replays to what is known of its program") {
  for (const fs::path& path : golden_logs()) {
    CAPTURE(path.filename());
    auto replay = opened(path);
    run_to_end(*replay);
    CHECK(replay->last_words().empty());
    const snapshot::Snapshot s = replay->snapshot(0, "overall", {});
    const nlohmann::json expected = expectations(path);
    CHECK(operations_of(s) == expected["operations"]);
    CHECK(s.health.orphan_exits == expected["orphan_exits"]);
    CHECK(s.health.entries == expected["entries"]);
    CHECK(s.health.stack_switches == expected["stack_switches"]);
    CHECK(s.health.balanced);
  }
}

// They were recorded before logs named the engine.
TEST_CASE("golden logs: one that names no engine was observed by uprobes") {
  for (const fs::path& path : golden_logs()) {
    CAPTURE(path.filename());
    auto replay = opened(path);
    const snapshot::Snapshot s = replay->snapshot(0, "overall", {});
    REQUIRE(!s.components.empty());
    for (const snapshot::Component& component : s.components)
      for (const snapshot::Operation& op : component.operations) CHECK(op.engine == "uprobe");
  }
}

TEST_CASE(
    "golden logs: with any one event deleted, doubled, swapped, or as the last, all is sane") {
  constexpr size_t kPlaces = 150;  // of each log, spread over it
  for (const fs::path& path : golden_logs()) {
    CAPTURE(path.filename());
    auto reader = *recording::LogReader::open(path);
    std::vector<int> component_of;
    for (const recording::Operation& op : reader.header().operations)
      component_of.push_back(op.component);
    Collector collector;
    while (reader.next(collector)) {
    }
    const Stream& whole = collector.stream;
    REQUIRE(sane(whole, component_of));
    const size_t step = std::max<size_t>(1, whole.size() / kPlaces);
    for (size_t i = 0; i < whole.size(); i += step) {
      CAPTURE(i);
      Stream damaged = whole;
      damaged.erase(damaged.begin() + ptrdiff_t(i));
      CHECK(sane(damaged, component_of));
      damaged = whole;
      damaged.insert(damaged.begin() + ptrdiff_t(i), whole[i]);
      CHECK(sane(damaged, component_of));
      damaged = whole;
      std::swap(damaged[i], damaged[(i + 1) % whole.size()]);
      CHECK(sane(damaged, component_of));
      damaged.resize(i);
      CHECK(sane(damaged, component_of));
    }
  }
}
