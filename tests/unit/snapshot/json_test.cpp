// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "snapshot/doubt.h"
#include "snapshot/snapshot.h"
#include "unit/terminal/sample.h"

using namespace compmond;
using namespace compmond::snapshot;

namespace {

Snapshot read(const std::string& json) {
  auto snapshot = from_json(json);
  REQUIRE_MESSAGE(snapshot.has_value(), (snapshot ? "" : snapshot.error().text()));
  return *snapshot;
}

std::string refusal(const std::string& json) {
  const auto snapshot = from_json(json);
  REQUIRE_FALSE(snapshot.has_value());
  CHECK(snapshot.error().code == Exit::kData);
  return snapshot.error().what + ": " + snapshot.error().why;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

// The sample with a value of its own in every member that it leaves at its default.
Snapshot full() {
  Snapshot s = terminal::test::file_host();
  s.now_ns = 143'000'000'000;
  s.window_partial = true;
  s.targets_left_out = 18;
  s.targets[0].alive = false;
  s.targets[0].ended_ns = 142'000'000'001;
  s.targets[0].exit_status = 3;
  s.targets[0].end_signal = 11;
  s.components[0].color = "#c0392b";
  s.components[0].kind = "input";
  Operation& o = s.components[0].operations[0];
  o.engine = "uprobe";
  o.state = Presence::kThrottled;
  o.since_ns = 141'000'000'000;
  s.components[0].subtree.at_least = true;
  s.components[0].subtree.uncertain = true;
  s.components[0].subtree.unsure_ns = 19;
  s.edges[0].at_least = true;
  o.moved_by = 4;
  o.figures.closed = {1, 2, 3, 4, 5, 1, 1};
  o.figures.unsure_ns = 18;
  o.figures.truncated = 6;
  o.figures.at_least = true;
  o.figures.observed_share = 0.5;
  o.figures.hotness = 33.3;
  o.figures.slo = Slo{50'000'000, 4, 1, 2};
  s.components[0].figures.slo = Slo{std::nullopt, 4, 1, 2};
  s.slo = {3, 2,          9, {{"HTTPServer", "accept", 1, 2, 3, 4, 5, 6, 7, Ending::kLossy}},
           8, {"counted"}};
  Health& h = s.health;
  h.lost = 7;
  h.pending = 8;
  h.lost_ring = 9;
  h.lost_slots = 10;
  h.lost_refused = 17;
  h.orphan_exits = 11;
  h.abandoned = 12;
  h.open = 13;
  h.clamped = 14;
  h.evicted = 15;
  h.stack_switches = 16;
  h.balanced = false;
  h.strangers = Health::Strangers{20, 1024, true, 1.5e6, 0.5, {"/bin/app", "/lib/libx.so"}};
  h.throttled = {"a"};
  h.disabled = {"b"};
  h.switches = {{141, false, "b"}, {142, true, ""}};
  h.probes_paused = true;
  h.notes = {"b", "c"};
  h.history_bytes = UINT64_MAX;
  h.probe_cost[0].engine = "uprobe";
  return s;
}

}  // namespace

TEST_CASE("snapshot: what is written is read back equal, indented or on one line") {
  const Snapshot s = full();
  CHECK(read(to_json(s)) == s);
  CHECK(read(to_json(s, JsonLayout::kCompact)) == s);
  CHECK(to_json(s, JsonLayout::kCompact).find('\n') == std::string::npos);
}

TEST_CASE("snapshot: an empty one is read back equal") {
  CHECK(read(to_json(Snapshot{})) == Snapshot{});
}

TEST_CASE("snapshot: any figures are read back equal") {
  CHECK(rc::check([](uint64_t calls, uint64_t raw, double hotness, bool uncertain, int64_t pid) {
    Snapshot s = full();
    s.components[1].figures.calls = calls;
    s.components[1].operations[0].figures.raw_ns = raw;
    s.components[1].figures.hotness = hotness;
    s.components[1].figures.uncertain = uncertain;
    s.threads[0].pid = pid;
    const auto again = from_json(to_json(s));
    RC_ASSERT(again.has_value());
    RC_ASSERT(*again == s);
  }));
}

TEST_CASE(
    "snapshot: figures stand flat beside the component's own members, in the contract's names") {
  const std::string json = to_json(full(), JsonLayout::kCompact);
  CHECK(
      json.rfind(
          R"({"schema":"compmond.snapshot/1","created":"2024-05-01T12:00:00.000Z","host":{"name":"build7",)",
          0) == 0);
  CHECK(
      json.find(
          R"("spec":{"name":"file host","path":"filehost.json"},"start_ns":100000000000,"now_ns":143000000000,)"
          R"("window":{"start_ns":132000000000,"end_ns":142000000000,"partial":true},"metric":"overall")") !=
      std::string::npos);
  CHECK(
      json.find(
          R"({"name":"HTTPServer","parent":null,"status":"attached","color":"#c0392b","kind":"input",)"
          R"("calls":12345,"open":0,"raw_ns":)") != std::string::npos);
  CHECK(json.find(R"("name":"Storage/FSWriter","parent":"Storage")") != std::string::npos);
  CHECK(
      json.find(
          R"("edges":[{"from":null,"to":"HTTPServer","count":12345,"raw_ns":9000000000,"declared":false,"at_least":true,"unknown":false})") !=
      std::string::npos);
  CHECK(
      json.find(
          R"("closed":{"returned":1,"abandoned":2,"thread_exit":3,"exec":4,"lossy":5,"failed":1,"jumped":1},"uncertain":false,)"
          R"("truncated":6,)") != std::string::npos);
  CHECK(
      json.find(
          R"("lost":7,"pending":8,"lost_causes":{"ring":9,"slots":10,"log":0,"refused":17},"orphan_exits":11,"abandoned":12,"failed":0,"jumped":0,"transfers":0,"transfers_ns":0,"beside_ns":0,)"
          R"("balanced":false,"trace":{"entries":2517086,"open":13,"clamped":14,"evicted":15,)"
          R"("stack_switches":16},"attached":22,"attach":"multi",)"
          R"("engines":[{"name":"uprobe","attach":"multi","writes_target":true}])") !=
      std::string::npos);
}

TEST_CASE("snapshot: what no probe could see is null, and what samples tell stands beside it") {
  Snapshot s = full();
  const Estimate time{20.5, 10, 30};
  const Estimated estimated{MarkedEstimate(time, true),
                            MarkedEstimate(time, true),
                            MarkedEstimate({5, 1, 9}, true),
                            std::nullopt,
                            7,
                            3};
  for (Component& c : s.components) c.status = Status::kSampled;
  Component& c = s.components[0];
  c.figures = c.operations[0].figures = Figures{};
  c.figures.hotness = 50;
  c.figures.seen = c.operations[0].figures.seen = c.subtree.seen = false;
  c.figures.estimated = c.operations[0].figures.estimated = estimated;
  c.figures.evidence = Evidence{EvidenceKind::kNone, EvidenceKind::kSamples, EvidenceKind::kSamples,
                                EvidenceKind::kSamples, EvidenceKind::kNone};
  c.subtree = {0, 0, 0, false, estimated};
  c.operations[0].exit_mode = ExitMode::kNone;
  s.edges[0].count = s.edges[0].raw_ns = s.threads[0].calls = s.threads[0].raw_ns = 0;
  s.edges[0].seen = s.threads[0].seen = false;
  s.edges[0].estimated = s.threads[0].estimated = estimated;
  s.health.samples =
      SamplesHealth{199, 1, 2, 3, 4, 5, 0.5, time, time, 6, 7, 8, {{"/bin/p", time, time}}};
  const std::string json = to_json(s, JsonLayout::kCompact);
  CHECK(read(json) == s);
  CHECK(json.find(R"("calls":null,"open":null,"raw_ns":null,)") != std::string::npos);
  CHECK(json.find(R"("hotness":50,"ranked":0,"closed":null,)") != std::string::npos);
  CHECK(json.find(R"("estimated":{"raw_ns":[20.5,10,30],"net_real_ns":[20.5,10,30],)"
                  R"("cpu_ns":[5,1,9],"at_least":true,"samples":7,"net_real_at_least":true,)"
                  R"("cpu_at_least":true,"own_samples":3},"evidence":{"calls":"none",)") !=
        std::string::npos);
}

TEST_CASE("snapshot: figures of which one was not seen are none, whatever stands beside the null") {
  Snapshot s;
  s.components.emplace_back().figures.calls = 7;
  s.edges.emplace_back().count = 7;
  s.threads.emplace_back().calls = 7;
  std::string json = to_json(s, JsonLayout::kCompact);
  for (const std::string member : {R"("raw_ns":0)", R"("net_real_ns":0)"})
    for (size_t at = 0; (at = json.find(member, at)) != std::string::npos;)
      json.replace(json.find(':', at) + 1, 1, "null");
  const Snapshot mixed = read(json);
  CHECK_FALSE(mixed.components[0].figures.seen);
  CHECK(mixed.components[0].figures.calls == 0);
  CHECK(mixed.edges[0].count == 0);
  CHECK(mixed.threads[0].calls == 0);
  CHECK(read(to_json(mixed)) == mixed);
}

TEST_CASE("snapshot: that nothing was called is told only where it would have been seen") {
  Snapshot s = full();
  s.health.lost = 0;
  const auto part = [](const char* name, Status status) {
    Component c;
    c.name = name;
    c.status = status;
    return c;
  };
  s.components = {part("A", Status::kAttached), part("B", Status::kAttached),
                  part("C", Status::kPartial)};
  Figures& b = s.components[1].figures;
  const Edge to_b{"A", "B", 0, 0, true}, to_c{"A", "C", 0, 0, true}, of_b{"B", "A", 0, 0, true};
  CHECK(doubt_of_none(s, b).empty());
  CHECK(doubt_of_none(s, to_b).empty());
  CHECK(doubt_of_none(s, to_c) == "not seen, as far as it is observed");
  b.at_least = true;
  CHECK(doubt_of_none(s, b) == "not seen, and some calls may have been missed");
  b.observed_share = 0.25;
  CHECK(doubt_of_none(s, to_b) == "not seen while observed 25.0 %");
  CHECK(doubt_of_none(s, of_b) == "not seen while observed 25.0 %");
  b.observed_share = 0;
  CHECK(doubt_of_none(s, b) == "not seen, its probes were away");
  b.seen = false;
  s.health.samples.emplace().taken = 1204;
  CHECK(doubt_of_none(s, b) == "not seen in 1,204 samples");
  s.health.lost = 1;
  CHECK(doubt_of_none(s, s.components[0].figures) == "not seen, events were lost");
}

TEST_CASE("snapshot: an estimate is three numbers") {
  Snapshot s = full();
  s.components[0].figures.estimated = Estimated{Estimate{1, 2, 3}, {}, {}, {}, 0};
  const std::string json = to_json(s, JsonLayout::kCompact);
  for (const char* wrong : {"[1,2]", "[1,2,3,4]", "[1,2,\"3\"]", "1"})
    CHECK(refusal(replaced(json, "[1,2,3]", wrong)) ==
          "not a snapshot, at '/components/0/estimated/raw_ns': expected a list of three numbers");
}

TEST_CASE("snapshot: where no stranger came by nothing is said of strangers") {
  CHECK(to_json(terminal::test::file_host()).find("\"strangers\"") == std::string::npos);
  CHECK(
      to_json(full(), JsonLayout::kCompact)
          .find(
              R"("strangers":{"calls":20,"processes":1024,"processes_at_least":true,"cost_ns":1500000,)"
              R"("cost_pct":0.5,"files":["/bin/app","/lib/libx.so"]})") != std::string::npos);
}

TEST_CASE("snapshot: without an objective nothing is said of objectives") {
  CHECK(to_json(terminal::test::file_host()).find("\"slo\"") == std::string::npos);
  CHECK(
      to_json(full(), JsonLayout::kCompact)
          .find(
              R"("truncated":6,"unsure_ns":18,"slo":{"objective_ns":50000000,"violations":4,"unseen_ends":1,)"
              R"("violating_now":2},"at_least":true,"observed_share":0.5})") != std::string::npos);
  CHECK(
      to_json(full(), JsonLayout::kCompact).find(R"("slo":{"objective_ns":null,"violations":4)") !=
      std::string::npos);
}

TEST_CASE("snapshot: ill-formed UTF-8 in a name is replaced") {
  Snapshot s = full();
  s.components[0].name = "a\xff\x62";
  CHECK(read(to_json(s)).components[0].name == "a\uFFFDb");
}

TEST_CASE("snapshot: a number that is not finite is written as zero") {
  Snapshot s = full();
  s.health.overhead_pct = std::nan("");
  CHECK(read(to_json(s)).health.overhead_pct == 0);
}

TEST_CASE("snapshot: unknown keys are ignored") {
  const std::string json = replaced(to_json(full(), JsonLayout::kCompact), R"("metric":)",
                                    R"("later":{"a":[1]},"metric":)");
  CHECK(read(json) == full());
}

TEST_CASE("snapshot: members may stand in any order") {
  const auto sorted = nlohmann::json::parse(to_json(full()));  // by name
  CHECK(read(sorted.dump()) == full());
}

TEST_CASE("snapshot: keys beyond the first contract may be absent") {
  const std::string json =
      replaced(to_json(full(), JsonLayout::kCompact), R"("history_bytes")", R"("other")");
  Snapshot expected = full();
  expected.health.history_bytes = 0;
  CHECK(read(json) == expected);
}

TEST_CASE("snapshot: a text that is no JSON, no object, or of another schema") {
  CHECK(refusal("") == "not a snapshot: it is not JSON");
  CHECK(refusal("{\"schema\":") == "not a snapshot: it is not JSON");
  CHECK(refusal("[1]") == "not a snapshot: it is JSON, but no object");
  CHECK(refusal("{}") == "not a snapshot: its key 'schema' is not \"compmond.snapshot/1\"");
  CHECK(refusal("{\"schema\":\"compmond.spec/1\"}") ==
        "not a snapshot: its key 'schema' is not \"compmond.snapshot/1\"");
}

TEST_CASE("snapshot: a missing key names the object that lacks it") {
  CHECK(refusal(R"({"schema":"compmond.snapshot/1"})") ==
        "not a snapshot, at '': the key 'created' is missing");
  CHECK(refusal(replaced(to_json(full(), JsonLayout::kCompact), R"("tid":4712)", R"("t":1)")) ==
        "not a snapshot, at '/threads/1': the key 'tid' is missing");
  CHECK(refusal(replaced(to_json(full(), JsonLayout::kCompact), R"("window":)", R"("w":)")) ==
        "not a snapshot, at '': the key 'window' is missing");
}

TEST_CASE("snapshot: a value of the wrong kind names its place") {
  const std::string json = to_json(full(), JsonLayout::kCompact);
  const auto at = [&](const std::string& from, const std::string& to) {
    return refusal(replaced(json, from, to));
  };
  CHECK(at(R"("calls":12345,)", R"("calls":-1,)") ==
        "not a snapshot, at '/components/0/calls': expected an integer that is not negative and in "
        "range");
  CHECK(at(R"("calls":12345,)", R"("calls":1.5,)") ==
        "not a snapshot, at '/components/0/calls': expected an integer that is not negative and in "
        "range");
  CHECK(at(R"("cpus":8)", R"("cpus":4294967296)") ==
        "not a snapshot, at '/host/cpus': expected an integer that is not negative and in range");
  CHECK(at(R"("pid":4711)", R"("pid":9223372036854775808)") ==
        "not a snapshot, at '/targets/0/pid': expected an integer in range");
  CHECK(at(R"("metric":"overall")", R"("metric":1)") ==
        "not a snapshot, at '/metric': expected a string");
  CHECK(at(R"("alive":false)", R"("alive":0)") ==
        "not a snapshot, at '/targets/0/alive': expected true or false");
  CHECK(at(R"("overhead_pct":0.84)", R"("overhead_pct":"")") ==
        "not a snapshot, at '/health/overhead_pct': expected a number");
  CHECK(at(R"("parent":null)", R"("parent":7)") ==
        "not a snapshot, at '/components/0/parent': expected a string");
  CHECK(at(R"("throttled":["a"])", R"("throttled":{})") ==
        "not a snapshot, at '/health/throttled': expected a list");
  CHECK(at(R"("throttled":["a"])", R"("throttled":["a",1])") ==
        "not a snapshot, at '/health/throttled/1': expected a string");
  CHECK(at(R"("lost_causes":{"ring":9,"slots":10,"log":0,"refused":17})", R"("lost_causes":[])") ==
        "not a snapshot, at '/health/lost_causes': expected an object");
}

TEST_CASE(
    "snapshot: a text cut off anywhere, or deeply nested, is refused and nothing else happens") {
  const std::string json = to_json(full(), JsonLayout::kCompact);
  for (size_t length = 0; length < json.size(); length += 97)
    CHECK_FALSE(from_json(json.substr(0, length)).has_value());
  CHECK_FALSE(from_json(std::string(1'000'000, '[')).has_value());
  CHECK_FALSE(from_json(std::string(100'000, '[') + std::string(100'000, ']')).has_value());
}
