// SPDX-License-Identifier: Apache-2.0
#include "kieker/writer.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "folder.h"
#include "kieker/signature.h"

using namespace compmond;
using namespace compmond::kieker;
using namespace compmond::kieker::test;

namespace {

void write(const std::string& folder, const traces::Catalogue& catalogue,
           const std::vector<traces::Trace>& traces, Records records = Records::kExecutions,
           Encoding encoding = Encoding::kText) {
  auto writer = KiekerWriter::open(folder, records, encoding, catalogue);
  REQUIRE_MESSAGE(writer, (writer ? "" : writer.error().text()));
  for (const auto& trace : traces) writer->write(trace);
  REQUIRE(writer->commit());
}

traces::TracedExecution execution(uint32_t operation, int32_t eoi, int32_t ess, uint64_t start,
                                  uint64_t end) {
  traces::TracedExecution out;
  out.trace_id = 1;
  out.operation = operation;
  out.eoi = eoi;
  out.ess = ess;
  out.start_ns = start;
  out.end_ns = end;
  return out;
}

traces::Trace flat(const std::vector<uint32_t>& operations) {
  std::vector<traces::TracedExecution> all;
  for (size_t i = 0; i < operations.size(); ++i)
    all.push_back(execution(operations[i], int32_t(i), 0, 100 * i, 100 * i + 50));
  traces::Trace trace;
  trace.id = 1;
  REQUIRE_FALSE(traces::build_trace(all, trace));
  return trace;
}

}  // namespace

TEST_CASE("writer: what was read from Kieker is written the same, signatures and all") {
  const Folder folder;
  const Reading first = read_text(
      "$1;300;private static java.util.List<a.X> a.b.D.g(int, a.Y);ses\\;sion;7;120;180;host;1;1\n"
      "$1;300;public void a.b.C.f();ses\\;sion;7;100;200;host;0;0\n");
  write(folder.path("out"), first.catalogue, first.traces);
  const Reading again({folder.path("out")});
  CHECK(again.damage.count == 0);
  REQUIRE(again.traces.size() == 1);
  CHECK(again.lines(0) == first.lines(0));
  CHECK(again.catalogue.sessions() == first.catalogue.sessions());
  CHECK(again.catalogue.operations()[0].signature == first.catalogue.operations()[0].signature);
}

TEST_CASE("writer: event records keep what failed, and both encodings say the same") {
  const Reading first = read_text(
      "$2;1;7;1;ses\\;sion;ho\\\\st;7;-1\n"
      "$3;1;100;7;0;void a.C.f();a.C\n$3;1;120;7;1;int D.g(int);D\n"
      "$5;1;180;7;2;int D.g(int);D;why\n$3;1;180;7;3;int D.g(int);D\n"
      "$4;1;190;7;4;int D.g(int);D\n$5;1;200;7;5;void a.C.f();a.C;no\n"
      "$2;300;8;1;other;host;8;-1\n$3;300;300;8;0;void a.C.f();a.C\n"
      "$4;310;310;8;1;void a.C.f();a.C\n");
  REQUIRE(first.traces.size() == 2);
  REQUIRE(first.lines(0) ==
          Lines{"0/0 a.C.f() 100-200 failed", "1/1 D.g(..) 120-180 failed", "2/1 D.g(..) 180-190"});
  for (const Encoding encoding : {Encoding::kText, Encoding::kBinary}) {
    const Folder folder;
    write(folder.path("out"), first.catalogue, first.traces, Records::kEvents, encoding);
    const Reading again({folder.path("out")});
    CHECK(again.damage.count == 0);
    REQUIRE(again.traces.size() == 2);
    for (size_t i = 0; i < 2; ++i) CHECK(again.lines(i) == first.lines(i));
    CHECK(again.catalogue.sessions() == first.catalogue.sessions());
    CHECK(again.catalogue.hosts() == first.catalogue.hosts());
    CHECK(again.catalogue.operations()[0].signature == first.catalogue.operations()[0].signature);
  }
}

TEST_CASE("writer: what its records cannot tell is said") {
  const Reading failed =
      read_text("$2;1;7;1;s;h;7;-1\n$3;1;1;7;0;void C.f();C\n$5;1;2;7;1;void C.f();C;why\n");
  const Reading hosts = read_text(
      "$1;300;void D.g();s;7;120;180;there;1;1\n$1;300;void C.f();s;7;100;200;here;0;0\n");
  const auto lost = [](const Reading& of, Records records) {
    const Folder folder;
    auto writer = KiekerWriter::open(folder.path("x"), records, Encoding::kText, of.catalogue);
    REQUIRE(writer);
    for (const auto& trace : of.traces) writer->write(trace);
    return writer->lost();
  };
  CHECK(lost(failed, Records::kEvents).empty());
  CHECK(lost(failed, Records::kExecutions).starts_with("1 execution failed"));
  CHECK(lost(hosts, Records::kExecutions).empty());
  CHECK(lost(hosts, Records::kEvents).starts_with("1 execution is on another host"));
}

TEST_CASE("writer: what probes took, and which component lies in which, is said to be lost") {
  traces::Catalogue catalogue;
  catalogue.host("h");
  catalogue.session("");
  traces::Trace trace = flat({catalogue.operation("A/B", "f"), catalogue.operation("C", "g")});
  trace.executions[0].inside_ns = 700;
  trace.executions[1].outside_ns = 800;
  const Folder folder;
  auto writer =
      KiekerWriter::open(folder.path("x"), Records::kExecutions, Encoding::kText, catalogue);
  REQUIRE(writer);
  writer->write(trace);
  CHECK(writer->lost() ==
        "times are as measured: records of Kieker cannot tell that 1.50 µs of them is what probes "
        "took; 1 operation is of a component within another one, which becomes a class (A/B the "
        "class A.B)");
}

TEST_CASE("writer: native operations get signatures that Kieker takes apart again") {
  const auto made = [](const char* component, const char* name) {
    const std::string text = make_signature({component, name, ""});
    const KiekerSignature parsed = parse_signature(text);
    return fmt::format("{} | {} | {}", parsed.class_name, parsed.method, parsed.parameters);
  };
  CHECK(made("Storage/FSWriter", "fh::FSWriter::write") ==
        "Storage.FSWriter | fh::FSWriter::write | ");
  CHECK(made("A", "f(std::vector<int, std::allocator<int> > const&)") ==
        "A | f | std::vector<int, std::allocator<int> > const&");
  CHECK(made("Two words", "operator()") == "Two_words | operator | ");
  CHECK(made("A", "std::function<void (int)>::operator() const") ==
        "A | std::function<void__int_>::operator___const | ");
  CHECK(made("A", "work.constprop.0") == "A | work_constprop_0 | ");
  CHECK(made("lib;c", "f\n") == "lib_c | f_ | ");
}

TEST_CASE("writer: operations that would share a signature stay apart") {
  traces::Catalogue catalogue;
  catalogue.host("h");
  catalogue.session("");
  const uint32_t one = catalogue.operation("A", "f.1"), two = catalogue.operation("A", "f_1"),
                 three = catalogue.operation("A", "f 1");
  const Folder folder;
  write(folder.path("out"), catalogue, {flat({one, two, three, one})});
  const Reading again({folder.path("out")});
  CHECK(again.catalogue.operations().size() == 3);
  CHECK(again.lines(0).size() == 4);
}

TEST_CASE("writer: a folder that holds something is not written to") {
  const Folder folder;
  folder.write("precious", "");
  const traces::Catalogue catalogue;
  const auto writer =
      KiekerWriter::open(folder.path(), Records::kEvents, Encoding::kText, catalogue);
  REQUIRE_FALSE(writer);
  CHECK(writer.error().code == Exit::kCantCreate);
  CHECK_FALSE(KiekerWriter::open("/no/such/place", Records::kEvents, Encoding::kText, catalogue));
}

TEST_CASE("signature: parts of a signature") {
  const struct {
    const char* text;
    const char *class_name, *short_name, *long_name;
  } kCases[] = {
      {"public static void a.b.C.main(java.lang.String[])", "a.b.C", "main(..)", "main(String[])"},
      {"a.C$1.<init>(a.B, java.util.Map<java.lang.String, int>)", "a.C$1", "<init>(..)",
       "<init>(B, Map<String, int>)"},
      {"void C.f()", "C", "f()", "f()"},
      {"void C.f( )", "C", "f()", "f()"},
      {"int main(int)", "", "main(..)", "main(int)"},
      {"C.f", "C", "f()", "f()"},
      {"void a.C.f() throws a.E", "a.C", "f()", "f()"},
      {"", "", "()", "()"},
      {"(", "", "()", "()"},
      {")(", "", ")()", ")()"},
  };
  for (const auto& c : kCases) {
    CAPTURE(c.text);
    const KiekerSignature parsed = parse_signature(c.text);
    CHECK(parsed.class_name == c.class_name);
    CHECK(parsed.short_name() == c.short_name);
    CHECK(parsed.long_name() == c.long_name);
  }
}

TEST_CASE("writer: any names survive a round trip as so many different operations") {
  CHECK(rc::check("names", [] {
    const auto names = *rc::gen::container<std::set<std::pair<std::string, std::string>>>(
        rc::gen::pair(rc::gen::nonEmpty(rc::gen::string<std::string>()),
                      rc::gen::nonEmpty(rc::gen::string<std::string>())));
    RC_PRE(!names.empty());
    traces::Catalogue catalogue;
    catalogue.host("h\n;\\");
    catalogue.session("s;\r\\;");
    std::vector<uint32_t> operations;
    for (const auto& [component, name] : names)
      operations.push_back(catalogue.operation(component, name));
    const Folder folder;
    write(folder.path("out"), catalogue, {flat(operations)});
    const Reading again({folder.path("out")});
    RC_ASSERT(again.damage.count == 0u);
    RC_ASSERT(again.traces.size() == 1u);
    RC_ASSERT(again.traces[0].executions.size() == operations.size());
    RC_ASSERT(again.catalogue.operations().size() == operations.size());
    RC_ASSERT(again.catalogue.hosts()[0] == "h\n;\\");
    RC_ASSERT(again.catalogue.sessions()[0] == "s;\r\\;");
  }));
}
