// SPDX-License-Identifier: Apache-2.0
#include "imported/pieces.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "imported/run_of.h"
#include "traces/assembler.h"

using namespace compmond;
using namespace compmond::imported;
using traces::TracedExecution;

namespace {

struct Scene {
  Scene() {
    for (const char* name : {"a", "b", "c"}) catalogue.operation("C", name);
    for (const char* name : {"here", "there"}) catalogue.host(name);
    for (const char* name : {"", "session"}) catalogue.session(name);
  }
  // One of trace 7.
  Scene& call(int32_t ess, uint64_t start, uint64_t end, uint32_t host = 0, bool failed = false) {
    TracedExecution e;
    e.trace_id = 7;
    e.eoi = int32_t(executions.size());
    e.ess = ess;
    e.start_ns = start;
    e.end_ns = end;
    e.operation = uint32_t(executions.size());
    e.host = host;
    e.failed = failed;
    executions.push_back(e);
    return *this;
  }
  // "0@here: +a1 -a5" per piece, then what is said: "give b 1".
  std::vector<std::string> lines() {
    traces::Trace trace;
    trace.id = 7;
    REQUIRE_FALSE(traces::build_trace(executions, trace));
    Pieces pieces(catalogue);
    pieces.add(trace);
    std::vector<std::string> out;
    const auto name = [&](const Move& move) {
      return catalogue.operations()[pieces.operations()[move.operation].operation].name;
    };
    for (const Piece& piece : pieces.pieces()) {
      std::string line = catalogue.hosts()[piece.host] + ":";
      for (size_t i = piece.first; i < piece.first + piece.count; ++i) {
        const Move& move = pieces.moves()[i];
        line += fmt::format(" {}{}{}", "+-!"[int(move.kind)], name(move), move.time_ns);
      }
      out.push_back(line);
    }
    for (const Said& said : pieces.said())
      out.push_back(fmt::format("{} {} {}{}", to_text(said.kind), name(pieces.moves()[said.move]),
                                said.text, said.number));
    return out;
  }

  traces::Catalogue catalogue;
  std::vector<TracedExecution> executions;
};

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("pieces: a trace of one thread is one, each call in its caller's time") {
  CHECK(Scene().call(0, 1, 9).call(1, 2, 4).call(1, 4, 9).lines() ==
        Lines{"here: +a1 +b2 -b4 +c4 -c9 -a9"});
}

TEST_CASE("pieces: what is called on another host is a call as any other") {
  CHECK(Scene().call(0, 1, 9).call(1, 2, 4, 1).call(1, 5, 6).lines() ==
        Lines{"here: +a1 +b2 -b4 +c5 -c6 -a9"});
}

TEST_CASE("run: classes of several hosts stand below these") {
  Scene scene;
  scene.call(0, 1, 9).call(1, 2, 4, 1).call(1, 5, 6);
  const auto all = operations_of(scene.catalogue, {{0, 2}, {0, 0}, {1, 1}});
  CHECK(all == std::vector<Placed>{{0, 0}, {0, 2}, {1, 1}});
  const recording::Header header = *header_of(scene.catalogue, all, "log");
  CHECK(header.components == std::vector<recording::Component>{
                                 {"here", -1}, {"here/C", 0}, {"there", -1}, {"there/C", 2}});
  CHECK(header.operations[2].component == 3);
  CHECK(header.operations[2].name == "b");
}

TEST_CASE("run: of one host classes stand by themselves, with all that the log names") {
  Scene scene;
  const auto all = operations_of(scene.catalogue, {{1, 2}, {1, 0}});
  CHECK(all == std::vector<Placed>{{1, 0}, {1, 1}, {1, 2}});
  CHECK(header_of(scene.catalogue, all, "log")->components ==
        std::vector<recording::Component>{{"C", -1}});
}

TEST_CASE("pieces: what outlives its caller is tied to it") {
  CHECK(Scene().call(0, 1, 9).call(1, 2, 20).lines() ==
        Lines{"here: +a1 -a9", "here: +b2 -b20", "give a 1", "take b 1"});
  CHECK(Scene().call(0, 1, 9).call(1, 2, 5).call(1, 4, 6).lines() ==
        Lines{"here: +a1 +b2 -b5 -a9", "here: +c4 -c6", "give a 1", "take c 1"});
}

TEST_CASE("pieces: calls from outside, and those before their callers, are tied by the trace") {
  CHECK(Scene().call(0, 1, 9).call(0, 3, 5).lines() ==
        Lines{"here: +a1 -a9", "here: +b3 -b5", "trace_id a 7", "trace_id b 7"});
  CHECK(Scene().call(0, 5, 9).call(1, 3, 4, 1).lines() ==
        Lines{"here: +a5 -a9", "there: +b3 -b4", "trace_id a 7", "trace_id b 7"});
}

TEST_CASE("pieces: a failed end is told once for those that fail together") {
  CHECK(Scene().call(0, 1, 9).call(1, 2, 4, 0, true).lines() == Lines{"here: +a1 +b2 !b4 -a9"});
  CHECK(Scene().call(0, 1, 9).call(1, 2, 9, 0, true).call(2, 3, 9, 0, true).lines() ==
        Lines{"here: +a1 +b2 +c3 !b9 -a9"});
  CHECK(Scene().call(0, 1, 9).call(1, 2, 4, 0, true).call(1, 4, 5).lines() ==
        Lines{"here: +a1 +b2 !b4 +c4 -c5 -a9"});
  CHECK(Scene().call(0, 1, 9, 0, true).lines() == Lines{"here: +a1 !a9"});
}

TEST_CASE("pieces: a session is said of the first execution of each") {
  Scene scene;
  scene.call(0, 1, 9).call(1, 2, 4);
  for (TracedExecution& e : scene.executions) e.session = 1;
  CHECK(scene.lines() == Lines{"here: +a1 +b2 -b4 -a9", "session_id a session0"});
}
