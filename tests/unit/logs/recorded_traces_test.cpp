// SPDX-License-Identifier: Apache-2.0
#include "logs/recorded_traces.h"

#include <doctest/doctest.h>

#include <cstring>

#include "logs/trace_logs.h"
#include "support/log_scene.h"
#include "traces/assembler.h"
#include "traces/trace_linker.h"

using namespace compmond;
using namespace compmond::logs;
using namespace compmond::recording;
using namespace compmond::traces;
using record::ContextKind;
using record::ContextType;
using record::Event;
using record::EventKind;

namespace {

Event says(uint32_t op, uint64_t time_ns, ContextKind kind, ContextType type, uint64_t value) {
  Event out = event(EventKind::kContext, time_ns, op, 0, value);
  out.flags = record::context_flags(kind, type);
  return out;
}

uint64_t bytes_of(const char* text) {
  uint64_t out = 0;
  std::memcpy(&out, text, std::strlen(text));
  return out;
}

// A log of one process in which threads did this, one after the other.
void write_log(const std::string& path, uint32_t pid,
               const std::vector<std::vector<Event>>& threads,
               const recording::Header& header = small_header()) {
  auto file = *LogFile::create(path, 0);
  (void)file.begin(header);
  Block block;
  for (uint32_t i = 0; i < threads.size(); ++i) {
    block.threads.push_back({i, {pid, pid + i, 5, "worker"}});
    block.steps.push_back({Block::Call::kThread, i, 0, 0});
    block.steps.push_back({Block::Call::kEvents, i, uint32_t(threads[i].size()), 0});
    block.events.insert(block.events.end(), threads[i].begin(), threads[i].end());
  }
  ChunkHead head;
  const std::string payload = encode(block, head);
  const std::string bytes = seal(head, payload);
  (void)file.append(head, bytes);
  (void)file.finish();
}

struct Traces {
  explicit Traces(const std::vector<std::string>& paths, bool raw_costs = false) {
    std::vector<std::unique_ptr<TraceLog>> logs;
    for (const std::string& path : paths)
      logs.push_back(*RecordedTraces::open(path, int64_t(logs.size()), catalogue, raw_costs));
    traces::TraceLinker linker(catalogue, [&](const auto& trace) { all.push_back(trace); });
    traces::TraceAssembler assembler({}, [&](const auto& trace) { linker.add(trace); });
    read_merged(logs, assembler, [] {});
    assembler.finish();
    linker.finish();
    broken = assembler.counts().broken;
  }
  // "1: A.fa 0, A/B.fb 1": id, and each operation with its ess.
  std::string text(size_t i) const {
    std::string out = fmt::format("{}:", all[i].id);
    for (const auto& e : all[i].executions) {
      const auto& operation = catalogue.operations()[e.operation];
      out += fmt::format("{} {}.{} {}", out.back() == ':' ? "" : ",", operation.component,
                         operation.name, e.ess);
    }
    return out;
  }
  traces::Catalogue catalogue;
  std::vector<traces::Trace> all;
  uint64_t broken = 0;
};

constexpr uint64_t T = kSceneStart;
constexpr auto kInteger = ContextType::kInteger;
constexpr auto kPointer = ContextType::kPointer;
constexpr auto kString = ContextType::kString;

}  // namespace

TEST_CASE("recorded traces: logs of a client and a server give one trace per request") {
  const TemporaryFolder folder;
  write_log(
      folder.file("client"), 100,
      {{says(0, T + 10, ContextKind::kTraceId, kString, bytes_of("17")),
        event(EventKind::kEntry, T + 10, 0, 0x7000), event(EventKind::kExit, T + 90, 0, 0x7000)}});
  write_log(
      folder.file("server"), 200,
      {{says(1, T + 30, ContextKind::kTraceId, kInteger, 17),
        event(EventKind::kEntry, T + 30, 1, 0x7000), event(EventKind::kExit, T + 60, 1, 0x7000)}});
  for (const bool client_first : {true, false}) {
    const Traces traces({folder.file(client_first ? "client" : "server"),
                         folder.file(client_first ? "server" : "client")});
    REQUIRE(traces.all.size() == 1);
    CHECK(traces.text(0) ==
          (client_first ? "1: A.fa 0, A/B.fb 1" : "1000000000001: A.fa 0, A/B.fb 1"));
  }
}

TEST_CASE("recorded traces: executions say what their probes cost, as the log has it") {
  const TemporaryFolder folder;
  recording::Header header = small_header();
  header.operations[0].inside_ns = header.operations[1].inside_ns = 7;
  header.operations[0].outside_ns = header.operations[1].outside_ns = 20;
  const std::vector<Event> calls = {
      event(EventKind::kEntry, T, 0, 0x7000), event(EventKind::kEntry, T + 100, 1, 0x6000),
      event(EventKind::kExit, T + 200, 1, 0x6000), event(EventKind::kExit, T + 500, 0, 0x7000)};
  write_log(folder.file("log"), 100, {calls}, header);
  const auto of = [&](bool raw_costs) {
    const Traces traces({folder.file("log")}, raw_costs);
    REQUIRE(traces.all.size() == 1);
    return traces.all[0].probes_ns();
  };
  CHECK(of(false) == std::vector<double>{7 + 20, 7});
  CHECK(of(true) == std::vector<double>{0, 0});

  header.operations[1].next_ways.push_back({.exit_mode = "return-probe", .inside_ns = 3});
  header.state.changes.push_back({.op = 1, .way = 1});
  write_log(folder.file("other"), 100, {calls}, header);
  const Traces traces({folder.file("other")});
  REQUIRE(traces.all.size() == 1);
  CHECK(traces.all[0].probes_ns() == std::vector<double>{7, 3});

  header.state.corrections.push_back({"one", "push", "return-probe", 0.5});
  write_log(folder.file("corrected"), 100, {calls}, header);
  const Traces corrected({folder.file("corrected")});
  REQUIRE(corrected.all.size() == 1);
  CHECK(corrected.all[0].probes_ns() == std::vector<double>{3.5, 3});
}

TEST_CASE("recorded traces: pointers mean something within their process only") {
  const TemporaryFolder folder;
  const std::vector<Event> gives = {says(0, T + 10, ContextKind::kGive, kPointer, 0x5000),
                                    event(EventKind::kEntry, T + 10, 0, 0x7000),
                                    event(EventKind::kExit, T + 20, 0, 0x7000)};
  const std::vector<Event> takes = {says(1, T + 30, ContextKind::kTake, kPointer, 0x5000),
                                    event(EventKind::kEntry, T + 30, 1, 0x7000),
                                    event(EventKind::kExit, T + 40, 1, 0x7000)};
  write_log(folder.file("both"), 100, {gives, takes});
  write_log(folder.file("giver"), 100, {gives});
  write_log(folder.file("taker"), 100, {takes});
  const Traces one({folder.file("both")});
  REQUIRE(one.all.size() == 1);
  CHECK(one.text(0) == "1: A.fa 0, A/B.fb 1");
  CHECK(Traces({folder.file("giver"), folder.file("taker")}).all.size() == 2);
}

TEST_CASE("recorded traces: no pointer and no text are no ids") {
  const TemporaryFolder folder;
  const std::pair<ContextType, bool> cases[] = {
      {kPointer, false}, {kString, false}, {kInteger, true}};
  for (const auto& [type, joined] : cases) {
    std::vector<std::vector<Event>> threads(2);
    for (uint64_t i = 0; i < 2; ++i)
      threads[i] = {says(0, T + 10 + 20 * i, ContextKind::kTraceId, type, 0),
                    event(EventKind::kEntry, T + 10 + 20 * i, 0, 0x7000),
                    event(EventKind::kExit, T + 20 + 20 * i, 0, 0x7000)};
    write_log(folder.file("log"), 100, threads);
    CHECK(Traces({folder.file("log")}).all.size() == (joined ? 1 : 2));
  }
}

TEST_CASE("recorded traces: a session id names the session, else the thread does") {
  const TemporaryFolder folder;
  write_log(
      folder.file("log"), 100,
      {{says(0, T + 10, ContextKind::kSessionId, kString, bytes_of("alice")),
        event(EventKind::kEntry, T + 10, 0, 0x7000), event(EventKind::kExit, T + 20, 0, 0x7000)},
       {event(EventKind::kEntry, T + 30, 0, 0x7000), event(EventKind::kExit, T + 40, 0, 0x7000)}});
  const Traces traces({folder.file("log")});
  REQUIRE(traces.all.size() == 2);
  std::vector<std::string> sessions;
  for (const auto& trace : traces.all)
    sessions.push_back(traces.catalogue.sessions()[trace.executions[0].session]);
  std::sort(sessions.begin(), sessions.end());
  CHECK(sessions == std::vector<std::string>{"100/101 worker", "alice"});
}

TEST_CASE("recorded traces: one of which events are missing is broken, as in the history") {
  const TemporaryFolder folder;
  const std::string path = folder.file("log");
  write_small_log(path, 30);  // 6 traces in each chunk
  Traces whole({path});
  CHECK(whole.all.size() == 180);
  std::string bytes = content_of(path);
  // The beginning of a chunk in the middle: all of it is gone.
  const size_t chunk = bytes.find(std::string(kChunkMagic), bytes.size() / 2);
  bytes.replace(chunk, 64, std::string(64, '\0'));
  write_content(path, bytes);
  Traces damaged({path});
  CHECK(damaged.all.size() == 174);
  CHECK(damaged.broken == 0);  // nothing was open there
}

TEST_CASE("recorded traces: what was open where events were lost is told as broken") {
  const TemporaryFolder folder;
  write_log(
      folder.file("log"), 10,
      {{event(EventKind::kEntry, T + 100, 0, 0x7000), event(EventKind::kEntry, T + 110, 1, 0x6f00),
        event(EventKind::kLoss, T + 900, 0, 0, 3), event(EventKind::kEntry, T + 910, 1, 0x6f00),
        event(EventKind::kExit, T + 920, 1, 0x6f00)}});
  const Traces traces({folder.file("log")});
  REQUIRE(traces.all.size() == 1);
  CHECK(traces.text(0) == "2: A/B.fb 0");
  CHECK(traces.broken == 1);
}

TEST_CASE("recorded traces: what is still open when the log ends has failed, and is no loss") {
  const TemporaryFolder folder;
  write_log(
      folder.file("log"), 10,
      {{event(EventKind::kEntry, T + 100, 0, 0x7000), event(EventKind::kEntry, T + 110, 1, 0x6f00),
        event(EventKind::kExit, T + 120, 1, 0x6f00)}});
  const Traces traces({folder.file("log")});
  REQUIRE(traces.all.size() == 1);
  CHECK(traces.broken == 0);
  CHECK(traces.all[0].executions.size() == 2);
}

TEST_CASE("recorded traces: those in whose time probes were away are left out, or refused") {
  const TemporaryFolder folder;
  std::vector<Event> calls;
  for (const uint64_t start : {T, T + 1000, T + 2000}) {
    calls.push_back(event(EventKind::kEntry, start, 0, 0x7000));
    calls.push_back(event(EventKind::kExit, start + 500, 0, 0x7000));
  }
  const auto read = [&](uint64_t since_ns, uint64_t until_ns) {
    recording::Header header = small_header();
    header.state.changes.push_back({.op = 1, .away = {{since_ns, until_ns}}});
    write_log(folder.file("log"), 100, {calls}, header);
    return TraceLogs::open({folder.file("log")})->read({}, [](const Trace&) {});
  };
  CHECK(read(T + 600, T + 700)->traces == 3);
  CHECK(read(T + 1200, T + 1300)->traces == 2);
  CHECK(read(T + 1200, UINT64_MAX)->traces == 1);
  const auto none = read(T, UINT64_MAX);
  REQUIRE_FALSE(none);
  CHECK(none.error().code == Exit::kData);
  CHECK(none.error().why.find("in the time of 3 traces") != std::string::npos);
}
