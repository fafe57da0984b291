// SPDX-License-Identifier: Apache-2.0
#include "kieker/reader.h"

#include <doctest/doctest.h>

#include "folder.h"

using namespace compmond;
using namespace compmond::kieker;
using namespace compmond::kieker::test;

namespace {

constexpr const char* kNested =
    "$1;300;public void a.b.D.g(int);<no-session-id>;7;120;180;host;1;1\n"
    "$1;300;public void a.b.C.f();<no-session-id>;7;100;200;host;0;0\n";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("reader: execution records become traces") {
  const Reading reading = read_text(kNested);
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.traces[0].id == 7);
  CHECK(reading.lines(0) == Lines{"0/0 a.b.C.f() 100-200", "1/1 a.b.D.g(..) 120-180"});
  CHECK(reading.catalogue.hosts() == Lines{"host"});
  CHECK(reading.catalogue.operations()[0].signature == "public void a.b.D.g(int)");
}

TEST_CASE("reader: a log's own time unit is heeded") {
  const Reading reading =
      read_text(std::string("$0;1;1.9;K;host;1;false;0;MILLISECONDS;1\n") + kNested);
  CHECK(reading.lines(0)[0] == "0/0 a.b.C.f() 100000000-200000000");
}

TEST_CASE("reader: a time unit that is not said is nanoseconds, which is told") {
  const Reading reading = read_text(std::string("$0;1;1.9;K;host;1;false;0;;1\n") + kNested);
  CHECK(reading.lines(0)[0] == "0/0 a.b.C.f() 100-200");
  REQUIRE(reading.damage.count == 1);
  CHECK(contains(reading.damage.examples[0], "kieker-1.dat:1: its time unit is unknown"));
}

TEST_CASE("reader: of a number with two meanings the later one counts, and that is told") {
  const Folder folder;
  folder.write("kieker.map", std::string("$1=a.Other\n") + kMap + kMap);
  folder.write("kieker-1.dat", kNested);
  const Reading reading({folder.path()});
  CHECK(reading.lines(0)[0] == "0/0 a.b.C.f() 100-200");
  REQUIRE(reading.damage.count == 1);
  CHECK(contains(reading.damage.examples[0], "kieker.map:"));
  CHECK(contains(reading.damage.examples[0], ": $1 was 'a.Other' before"));
}

TEST_CASE("reader: several files are read in the order of their names") {
  const Folder folder;
  folder.write("kieker.map", kMap);
  folder.write("kieker-2.dat", "$1;301;void a.E.last();s;8;1;2;host;0;0\n");
  folder.write("kieker-1.dat", kNested);
  folder.write("notes.txt", "not a log");
  const Reading reading({folder.path()});
  REQUIRE(reading.traces.size() == 2);
  CHECK(reading.traces[0].id == 7);
  CHECK(reading.damage.count == 0);
}

TEST_CASE("reader: logs of several hosts are merged to one trace") {
  const Folder client, server;
  for (const Folder* folder : {&client, &server}) folder->write("kieker.map", kMap);
  client.write("a.dat",
               "$1;500;void c.Client.call();s;9;100;500;laptop;0;0\n"
               "$1;900;void c.Client.call();s;10;800;900;laptop;0;0\n");
  server.write("b.dat", "$1;400;void s.Server.answer();s;9;200;400;rack;1;1\n");
  const Reading reading({client.path(), server.path()});
  REQUIRE(reading.traces.size() == 2);
  CHECK(reading.lines(0) == Lines{"0/0 c.Client.call() 100-500", "1/1 s.Server.answer() 200-400"});
  CHECK(reading.counts.broken == 0);
}

TEST_CASE("reader: separators in texts are escaped, other backslashes are text") {
  const Reading reading = read_text("$1;300;void C.f();a\\;b\\\\c\\nd\\e;7;1;2;host;0;0\r\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.catalogue.sessions() == Lines{"a;b\\c\nd\\e"});
}

TEST_CASE("reader: each bad line is reported with its place, the rest is read") {
  const struct {
    const char* line;
    const char* why;
  } kBad[] = {
      {"rubbish", "does not begin with a record type"},
      {"$77;1;2", "kieker.map does not name the record type $77"},
      {"$1;x;void C.f();s;7;1;2;host;0;0", "logging timestamp is not a number"},
      {"$1", "logging timestamp is not a number"},
      {"$1;1;void C.f();s;7;1;2;host;0", "it has no ess"},
      {"$1;1;void C.f();s;seven;1;2;host;0;0", "its trace id is not a number: 'seven'"},
      {"$1;1;void C.f();s;7;5;2;host;0;0", "it ends before it starts"},
      {"$1;1;void C.f();s;7;-5;2;host;0;0", "its entry time is no possible time: -5"},
      {"$1;1;void C.f();s;7;1;2;host;99999999999;0", "its eoi is out of range"},
      {"$3;1;1;7;-3;void C.f();C", "its order index is negative"},
      {"$3;1;1;7;3", "it has no operation signature"},
      {"$2;1;x;1;s;h;1;-1", "its trace id is not a number: 'x'"},
  };
  for (const auto& bad : kBad) {
    CAPTURE(bad.line);
    const Reading reading = read_text(std::string(bad.line) + "\n" + kNested);
    REQUIRE(reading.damage.count == 1);
    CHECK(contains(reading.damage.examples[0], "kieker-1.dat:1: "));
    CHECK(contains(reading.damage.examples[0], bad.why));
    CHECK(reading.traces.size() == 1);
  }
}

TEST_CASE("reader: a log that ends in the middle of a line is read up to there") {
  const std::string text = kNested;
  const Reading reading = read_text(text.substr(0, text.size() - 8));
  CHECK(reading.damage.count == 1);
  CHECK(contains(reading.damage.examples[0], ":2: "));
  CHECK(reading.counts.broken == 1);
  CHECK(reading.broken == Lines{"trace 7: eoi 0 is missing"});
}

TEST_CASE("reader: an endless line is damage, not memory") {
  const Reading reading = read_text(std::string(3 << 20, 'x') + "\n" + kNested);
  CHECK(reading.damage.count == 1);
  CHECK(contains(reading.damage.examples[0], "longer than"));
  CHECK(reading.traces.size() == 1);
}

TEST_CASE("reader: records of other kinds are skipped and counted") {
  const Reading reading = read_text(std::string("$9;1;1;host;0;0.1;0.2\n") + kNested);
  CHECK(reading.skipped == 1);
  CHECK(reading.damage.count == 0);
  CHECK(reading.traces.size() == 1);
}

TEST_CASE("reader: what is no log is told from what is missing") {
  traces::Catalogue catalogue;
  const auto failure = [&](const std::string& path) {
    const auto reader = KiekerReader::open(path, catalogue);
    REQUIRE_FALSE(reader);
    return reader.error();
  };
  CHECK(failure("/no/such/folder").code == Exit::kNoInput);
  const Folder folder;
  CHECK(failure(folder.path()).code == Exit::kData);
  folder.write("a.dat", kNested);
  CHECK(failure(folder.path()).code == Exit::kData);  // no map
  folder.write("kieker.map", "nonsense\n");
  CHECK(contains(failure(folder.path()).why, "line 1"));
  const Folder empty;
  empty.write("notes.txt", "");
  CHECK(contains(failure(empty.path()).why, "no .dat or .bin file"));
}

TEST_CASE("reader: damage anywhere leaves what is around it, and nothing odd comes of it") {
  // Every line cut short and every byte replaced, between two traces that are in order.
  const std::string before = "$1;300;void a.First.f();s;555555;10;20;host;0;0\n";
  const std::string text = std::string("$2;1;7;1;s;h;7;-1\n$3;1;1;7;0;void C.f();C\n") + kNested;
  const std::string after = "$1;300;void a.Last.f();s;999999;300;400;host;0;0\n";
  const auto check = [&](const std::string& damaged, bool repair) {
    CAPTURE(damaged);
    const Reading reading = read_text(before + damaged + after, repair);
    Lines whole;
    for (size_t i = 0; i < reading.traces.size(); ++i) {
      const auto& trace = reading.traces[i];
      if (trace.id == 555555 || trace.id == 999999)
        for (const std::string& line : reading.lines(i)) whole.push_back(line);
      for (size_t k = 0; k < trace.executions.size(); ++k) {
        const auto& execution = trace.executions[k];
        CHECK(execution.operation < reading.catalogue.operations().size());
        CHECK(execution.start_ns <= execution.end_ns);
        CHECK(size_t(execution.eoi) == k);
      }
    }
    CHECK(whole == Lines{"0/0 a.First.f() 10-20", "0/0 a.Last.f() 300-400"});
    for (const std::string& example : reading.damage.examples)
      CHECK(contains(example, "kieker-1.dat:"));
  };
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    check(text.substr(0, i) + "\n", false);
    for (const char c : {';', '\n', '\\', '\0', '-', '('}) {
      std::string changed = text;
      changed[i] = c;
      check(changed, c == '-');
    }
  }
}

TEST_CASE("reader: where memory is used up, the rest is not read and that is told") {
  struct Sink : traces::TracedSink {
    void on_execution(const traces::TracedExecution&, uint64_t) override { ++executions; }
    void on_unusable(int64_t, std::string_view) override {}
    size_t executions = 0;
  };
  constexpr size_t kRecords = 10'000;
  std::string text;
  for (size_t i = 0; i < kRecords; ++i)
    text += fmt::format("$1;{};void C.f();s;{};1;2;host;0;0\n", 300 + i, i);
  const Folder folder;
  folder.write("kieker.map", kMap);
  folder.write("kieker.dat", text);
  for (const size_t bytes : {size_t(1), SIZE_MAX}) {
    traces::Catalogue catalogue;
    const auto reader = *KiekerReader::open(folder.path(), catalogue, MemoryBound(bytes));
    Sink sink;
    while (reader->next_ns()) reader->step(sink);
    CHECK((sink.executions == kRecords) == (bytes > 1));
    CHECK(sink.executions > 0);
    CHECK(reader->bad_records().count == (bytes > 1 ? 0 : 1));
    if (bytes == 1) CHECK(contains(reader->bad_records().examples[0], "is not read"));
  }
}
