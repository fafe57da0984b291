// SPDX-License-Identifier: Apache-2.0
// Logs of Kieker as it was between 2008 and 2012.
#include <doctest/doctest.h>

#include "folder.h"

using namespace compmond::kieker;
using namespace compmond::kieker::test;

namespace {

const char* const kOldMap =
    "0=kieker.common.record.misc.KiekerMetadataRecord\n"
    "1=kieker.common.record.OperationExecutionRecord\n"
    "2=kieker.tpmon.monitoringRecord.executions.KiekerExecutionRecord\n";

Reading read_old(const std::string& dat, bool repair = false) {
  const Folder folder;
  folder.write("tpmon.map", kOldMap);
  folder.write("tpmon-1.dat", dat);
  return Reading({folder.path()}, repair);
}

}  // namespace

TEST_CASE("old logs: maps without $, records with the number of an experiment, old names") {
  const Reading reading = read_old(
      "$1;300;-1;public void a.D.g(int);NULL;7;120;180;N/A;1;1\n"
      "$2;300;-1;public void a.C.f();NULL;7;100;200;N/A;0;0\n");
  CHECK(reading.damage.count == 0);
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 a.C.f() 100-200", "1/1 a.D.g(..) 120-180"});
}

TEST_CASE("old logs: a map may be absent where records name no type") {
  const Folder folder;
  folder.write("tpmon-1.dat",
               "-1;public void a.D.g(int);s;7;120;180;host;1;1\n"
               "-1;public void a.C.f();s;7;100;200;host;0;0\n");
  const Reading reading({folder.path()});
  CHECK(reading.damage.count == 0);
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 a.C.f() 100-200", "1/1 a.D.g(..) 120-180"});
}

TEST_CASE("old logs: a metadata stamp of -1 is none, and its time unit counts") {
  const Reading reading = read_old(
      "$0;-1;1.5;K;host;1;false;0;MICROSECONDS;1\n"
      "$1;300;public void a.C.f();s;7;100;200;host;0;0\n");
  CHECK(reading.damage.count == 0);
  REQUIRE(reading.traces.size() == 1);
  CHECK(reading.lines(0) == Lines{"0/0 a.C.f() 100000-200000"});
}

TEST_CASE("old logs: longer time units are converted, and one that nobody knows is told") {
  const std::string execution = "$1;300;public void a.C.f();s;7;1;2;host;0;0\n";
  const auto in = [&](const std::string& unit) {
    return read_old("$0;-1;1.5;K;host;1;false;0;" + unit + ";1\n" + execution);
  };
  CHECK(in("MINUTES").lines(0) == Lines{"0/0 a.C.f() 60000000000-120000000000"});
  CHECK(in("DAYS").lines(0) == Lines{"0/0 a.C.f() 86400000000000-172800000000000"});
  const Reading unknown = in("FORTNIGHTS");
  CHECK(unknown.lines(0) == Lines{"0/0 a.C.f() 1-2"});
  REQUIRE(unknown.damage.count == 1);
  CHECK(unknown.damage.examples[0].find("its time unit is unknown, and taken to be nanoseconds: "
                                        "'FORTNIGHTS'") != std::string::npos);
}

TEST_CASE("old logs: a data file that is a link to nowhere is told") {
  const Folder folder;
  folder.write("tpmon-1.dat", "-1;public void a.C.f();s;7;100;200;host;0;0\n");
  std::filesystem::create_symlink("gone", folder.path("tpmon-2.dat"));
  const Reading reading({folder.path()});
  CHECK(reading.traces.size() == 1);
  REQUIRE(reading.damage.count == 1);
  CHECK(reading.damage.examples[0].find("tpmon-2.dat") != std::string::npos);
}

TEST_CASE(
    "old logs: executions that say neither order nor depth are told so, and nested by times") {
  const char* const text =
      "$1;300;void a.D.g();N/A;N/A;120;180;host;-1;-1\n"
      "$1;300;void a.C.f();N/A;-1;100;200;host;N/A;NULL\n";
  const Reading broken = read_old(text);
  CHECK(broken.traces.empty());
  CHECK(broken.damage.count == 0);
  CHECK(broken.broken ==
        Lines{"trace -1: its executions say neither order nor depth (eoi -1, ess -1)"});
  const Reading repaired = read_old(text, true);
  REQUIRE(repaired.traces.size() == 1);
  CHECK(repaired.lines(0) == Lines{"0/0 a.C.f() 100-200", "1/1 a.D.g() 120-180"});
}
