// SPDX-License-Identifier: Apache-2.0
#include "kieker/events.h"

#include <doctest/doctest.h>

#include "folder.h"

using namespace compmond::kieker;
using namespace compmond::kieker::test;

namespace {

constexpr const char* kMetadata = "$2;1;7;1;session;host;7;-1\n";

}  // namespace

TEST_CASE("events: before and after events become executions") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void C.f();C\n"
                                    "$3;1;120;7;1;void D.g(int);D\n"
                                    "$4;1;180;7;2;void D.g(int);D\n"
                                    "$4;1;200;7;3;void C.f();C\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-200", "1/1 D.g(..) 120-180"});
  CHECK(reading.catalogue.hosts() == Lines{"host"});
  CHECK(reading.catalogue.sessions() == Lines{"session"});
}

TEST_CASE("events: constructors and forms with object ids are events too") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$6;1;100;7;0;C.<init>();C\n"
                                    "$11;1;110;7;1;void D.g();D;42\n"
                                    "$12;1;120;7;2;void D.g();D;42\n"
                                    "$7;1;200;7;3;C.<init>();C\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.<init>() 100-200", "1/1 D.g() 110-120"});
}

TEST_CASE("events: a failed end makes a failed execution") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void C.f();C\n"
                                    "$6;1;110;7;1;D.<init>();D\n"
                                    "$10;1;120;7;2;D.<init>();D;why\n"
                                    "$5;1;200;7;3;void C.f();C;java.lang.Exception: no\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-200 failed", "1/1 D.<init>() 110-120 failed"});
}

TEST_CASE("events: the class that ran counts, not the one that declares the operation") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void a.Base.f();a.Derived\n"
                                    "$4;1;200;7;1;void a.Base.f();a.Derived\n");
  CHECK(reading.lines(0) == Lines{"0/0 a.Derived.f() 100-200"});
}

TEST_CASE("events: a call without events of its own lasts until the caller's next event") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void C.f();C\n"
                                    "$8;1;110;7;1;void C.f();C;void L.lib();L\n"
                                    "$8;1;130;7;2;void C.f();C;void D.g();D\n"
                                    "$3;1;131;7;3;void D.g();D\n"
                                    "$4;1;140;7;4;void D.g();D\n"
                                    "$4;1;200;7;5;void C.f();C\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-200", "1/1 L.lib() 110-130", "2/1 D.g() 131-140"});
}

TEST_CASE("events: what begins before the caller is heard of again is nested in an assumed call") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void C.f();C\n"
                                    "$8;1;110;7;1;void C.f();C;void L.lib();L\n"
                                    "$3;1;120;7;2;void C.back();C\n"
                                    "$4;1;130;7;3;void C.back();C\n"
                                    "$4;1;200;7;4;void C.f();C\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) ==
        Lines{"0/0 C.f() 100-200", "1/1 L.lib() 110-200", "2/2 C.back() 120-130"});
}

TEST_CASE("events: assumed calls in assumed calls end together, the last ones with the trace") {
  const Reading nested = read_text(std::string(kMetadata) +
                                   "$3;1;100;7;0;void C.f();C\n"
                                   "$8;1;110;7;1;void C.f();C;void L.lib();L\n"
                                   "$8;1;120;7;2;void L.lib();L;void M.lib();M\n"
                                   "$4;1;200;7;3;void C.f();C\n");
  CHECK(nested.lines(0) ==
        Lines{"0/0 C.f() 100-200", "1/1 L.lib() 110-200", "2/2 M.lib() 120-200"});
  const Reading last = read_text(std::string(kMetadata) +
                                 "$8;1;110;7;0;void C.f();C;void L.lib();L\n"
                                 "$8;1;120;7;1;void L.lib();L;void M.lib();M\n");
  CHECK(last.lines(0) == Lines{"0/0 L.lib() 110-120", "1/1 M.lib() 120-120"});
  CHECK(last.counts.broken == 0);
}

TEST_CASE("events: metadata of applications, and every record of a trace's order has its place") {
  const Folder folder;
  const std::string flow = "kieker.common.record.flow.trace.";
  folder.write("kieker.map",
               std::string(kMap) + "$20=" + flow + "ApplicationTraceMetadata\n$21=" + flow +
                   "ConstructionEvent\n$22=" + flow + "concurrency.SplitEvent\n$23=" + flow +
                   "concurrency.JoinEvent\n$24=" + flow + "BeforeSentRemoteEvent\n$25=" + flow +
                   "BeforeReceivedRemoteEvent\n$26=" + flow +
                   "concurrency.monitor.MonitorEntryEvent\n$27=" + flow +
                   "future.SomeEvent\n$28=kieker.common.record.database."
                   "BeforeDatabaseEvent\n$29=" +
                   flow + "operation.EntryLevelBeforeOperationEvent\n");
  folder.write("kieker-1.dat",
               "$20;1;7;1;session;host;-1;-1;shop\n"
               "$29;1;100;7;0;void C.f();C;2;a;b;1;v;3\n"
               "$21;1;101;7;1;D;42\n$22;1;102;7;2\n$23;1;103;7;3;8\n$24;1;104;7;4;REST\n"
               "$25;1;105;99;3;7;5\n$26;1;106;7;6;1\n$27;1;107;7;7;what\n"
               "$28;1;108;D;7;8;select;SQL\n"
               "$4;1;200;7;9;void C.f();C\n");
  const Reading reading({folder.path()});
  CHECK(reading.damage.count == 0);
  CHECK(reading.skipped == 0);
  CHECK(reading.broken == Lines{});
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-200"});
}

TEST_CASE("events: a trace's metadata may come behind all of its events") {
  const Reading reading = read_text(std::string("$3;1;100;7;0;void C.f();C\n"
                                                "$3;1;120;7;1;void D.g();D\n"
                                                "$4;1;150;7;2;void D.g();D\n"
                                                "$4;1;200;7;3;void C.f();C\n") +
                                    kMetadata);
  CHECK(reading.broken == Lines{});
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-200", "1/1 D.g() 120-150"});
}

TEST_CASE("events: events are taken by order index, whatever order the log has") {
  const Reading reading = read_text(std::string("$4;1;200;7;3;void C.f();C\n"
                                                "$3;1;120;7;1;void D.g();D\n") +
                                    kMetadata +
                                    "$4;1;180;7;2;void D.g();D\n"
                                    "$3;1;100;7;0;void C.f();C\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-200", "1/1 D.g() 120-180"});
}

TEST_CASE("events: a trace may go on after its first operation has ended") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void C.f();C\n"
                                    "$4;1;200;7;1;void C.f();C\n"
                                    "$3;1;300;7;2;void D.g();D\n"
                                    "$4;1;400;7;3;void D.g();D\n");
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-200", "1/0 D.g() 300-400"});
}

TEST_CASE("events: what breaks a trace is said, and the trace left out") {
  const struct {
    std::string text;
    const char* why;
  } kBroken[] = {
      {std::string(kMetadata) + "$3;1;1;7;0;void C.f();C\n$4;1;2;7;2;void C.f();C\n",
       "trace 7: the event with order index 1 is missing"},
      {std::string(kMetadata) + "$3;1;1;7;0;void C.f();C\n$4;1;2;7;1;void D.g();D\n",
       "trace 7: D.g() ends at order index 1, but it is not what ran then"},
      {std::string(kMetadata) + "$4;1;2;7;0;void D.g();D\n",
       "trace 7: D.g() ends at order index 0, but it is not what ran then"},
      {std::string(kMetadata) + "$3;1;1;7;0;void C.f();C\n", "trace 7: 1 executions do not end"},
      {std::string(kMetadata) +
           "$3;1;1;7;0;void C.f();C\n$3;1;1;7;0;void C.f();C\n$4;1;2;7;1;void C.f();C\n",
       "trace 7: the event with order index 0 occurs twice"},
      {"$3;1;1;7;0;void C.f();C\n$4;1;2;7;1;void C.f();C\n", "trace 7: it has no TraceMetadata"},
  };
  for (const auto& broken : kBroken) {
    const Reading reading = read_text(broken.text);
    CHECK(reading.traces.empty());
    CHECK(reading.counts.broken == 1);
    CHECK(reading.broken == Lines{broken.why});
  }
}

TEST_CASE("events: repair ends what does not end with its trace's last event, as failed") {
  const Reading reading = read_text(std::string(kMetadata) +
                                        "$3;1;100;7;0;void C.f();C\n"
                                        "$3;1;120;7;1;void D.g();D\n"
                                        "$4;1;180;7;2;void D.g();D\n",
                                    true);
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-180 failed", "1/1 D.g() 120-180"});
  CHECK(reading.counts.repaired == 1);
}

TEST_CASE("events: repair mends what has no metadata, on a host without a name") {
  const Reading reading = read_text("$3;1;100;7;0;void C.f();C\n$4;1;180;7;1;void C.f();C\n", true);
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 C.f() 100-180"});
  CHECK(reading.catalogue.hosts() == Lines{""});
  CHECK(reading.counts.repaired == 1);
}

TEST_CASE("events: a trace at rest is forgotten after a while, so memory stays bounded") {
  // The late event finds its trace gone: it is a broken trace of its own.
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void C.f();C\n"
                                    "$4;1;200;7;1;void C.f();C\n"
                                    "$2;60000000000;8;1;session;host;8;-1\n"
                                    "$3;60000000000;1;8;0;void C.f();C\n"
                                    "$4;60000000000;2;8;1;void C.f();C\n"
                                    "$3;60000000001;300;7;2;void C.f();C\n");
  CHECK(reading.traces.size() == 2);
  CHECK(reading.counts.broken == 1);
}

TEST_CASE("events: a trace at rest for which an event waits is not forgotten with it") {
  const Reading reading = read_text(std::string(kMetadata) +
                                    "$3;1;100;7;0;void C.f();C\n"
                                    "$4;1;200;7;1;void C.f();C\n"
                                    "$4;9000000000;400;7;3;void D.g();D\n"
                                    "$2;60000000000;8;1;session;host;8;-1\n"
                                    "$3;60000000000;1;8;0;void C.f();C\n"
                                    "$4;60000000000;2;8;1;void C.f();C\n");
  CHECK(reading.traces.size() == 2);
  CHECK(reading.broken == Lines{"trace 7: the event with order index 2 is missing"});
}
