// SPDX-License-Identifier: Apache-2.0
#include "support.h"

// JSON that is well-formed and no spec: one case per way, with the exact message.
using namespace compmond::spec::test;

TEST_CASE("bad spec: the top is no object") {
  CHECK(message("[]") == "app.json:1:1: expected an object, found a list. Write an object.");
  CHECK(message(" null") == "app.json:1:2: expected an object, found null. Write an object.");
}

TEST_CASE("bad spec: no schema") {
  CHECK(message("\n{\"components\":[]}") ==
        "app.json:2:1: the key 'schema' is missing. Write \"schema\": \"compmond.spec/1\".");
}

TEST_CASE("bad spec: a schema of another version is told before unknown keys") {
  CHECK(message("{\"new\":1,\"schema\":\"compmond.spec/2\"}") ==
        "app.json:1:19 at /schema: 'compmond.spec/2' is not a schema that this version reads. "
        "Write \"schema\": "
        "\"compmond.spec/1\".");
}

TEST_CASE("bad spec: the schema is no string") {
  CHECK(message("{\"schema\":1}") ==
        "app.json:1:11 at /schema: expected a string, found a number. Write a string.");
}

TEST_CASE("bad spec: the editors' hint is no string") {
  CHECK(message("{\"schema\":\"compmond.spec/1\",\"$schema\":[]}") ==
        "app.json:1:39 at /$schema: expected a string, found a list. Write a string.");
}

TEST_CASE("bad spec: an unknown key near a known one") {
  CHECK(message("{\"schema\":\"compmond.spec/1\",\n \"component\":[]}") ==
        "app.json:2:2: unknown key 'component'. Did you mean 'components'?");
  CHECK(message(with("\"colour\":\"#ffffff\"")) ==
        "app.json:2:13 at /components/0: unknown key 'colour'. Did you mean 'color'?");
  CHECK(message(with("\"in\":[{\"symbl\":\"f\"}]")) ==
        "app.json:2:20 at /components/0/in/0: unknown key 'symbl'. Did you mean 'symbol'?");
}

TEST_CASE("bad spec: an unknown key far from all lists what is known") {
  CHECK(message(with("\"wavelength\":1")) ==
        "app.json:2:13 at /components/0: unknown key 'wavelength'. Known keys here are name, "
        "color, image, in, out, "
        "exit, engine, slo_ms, landmark, waiting, kind, components and note.");
}

TEST_CASE("bad spec: no components") {
  const std::string rest =
      "there are no components. Add \"components\": [{\"name\": …, \"in\": [symbol, …]}]; "
      "docs/spec.md has examples.";
  CHECK(message("{\"schema\":\"compmond.spec/1\"}") == "app.json:1:1: " + rest);
  CHECK(message("{\"schema\":\"compmond.spec/1\",\"components\":[]}") ==
        "app.json:1:42 at /components: " + rest);
}

TEST_CASE("bad spec: components is no list") {
  CHECK(message("{\"schema\":\"compmond.spec/1\",\"components\":{}}") ==
        "app.json:1:42 at /components: expected a list of components, found an object. Write a "
        "list of components.");
}

TEST_CASE("bad spec: a component is no object") {
  CHECK(message("{\"schema\":\"compmond.spec/1\",\"components\":[\"A\"]}") ==
        "app.json:1:43 at /components/0: expected a component (an object), found a string. Write a "
        "component (an "
        "object).");
}

TEST_CASE("bad spec: a component without a name") {
  CHECK(message("{\"schema\":\"compmond.spec/1\",\"components\":[\n\n{\"in\":[\"f\"]}]}") ==
        "app.json:3:1 at /components/0: the component has no name. Add \"name\": \"…\".");
}

TEST_CASE("bad spec: a component that observes nothing") {
  const std::string rest =
      "the component 'A' observes nothing. Give it symbols in \"in\" or \"out\", or \"components\" "
      "of its own.";
  CHECK(message(with("\"color\":\"#123456\"")) == "app.json:2:1 at /components/0: " + rest);
  CHECK(message(with("\"in\":[],\"components\":[]")) == "app.json:2:1 at /components/0: " + rest);
}

TEST_CASE(
    "bad spec: a name that is empty, blank, too long, or holds a slash or control characters") {
  const auto named = [](const std::string& name) {
    return message("{\"schema\":\"compmond.spec/1\",\"components\":[{\"name\":" + name +
                   ",\"in\":[\"f\"]}]}");
  };
  const std::string at = "app.json:1:51 at /components/0/name: ";
  CHECK(named("\"\"") ==
        at + "a component's name is empty. Give it at least one visible character.");
  CHECK(named("\"  \"") ==
        at + "a component's name is empty. Give it at least one visible character.");
  CHECK(named("\"" + std::string(201, 'n') + "\"") ==
        at + "a component's name has 201 bytes; the limit is 200. Shorten it.");
  CHECK(named("\"a/b\"") ==
        at + "'a/b' holds a '/'. Nest components with the key \"components\"; '/' separates the "
             "names of a path.");
  CHECK(named("\"a\\u001b[0m\"") ==
        at + "a component's name holds control characters: 'a\\u001b[0m'. Remove them.");
  CHECK(named("\"a\\u202eb\"") ==
        at + "a component's name holds control characters: 'a\\u202eb'. Remove them.");
  CHECK(named("7") == at + "expected a string, found a number. Write a string.");
}

TEST_CASE("bad spec: siblings of the same name") {
  CHECK(message("{\"schema\":\"compmond.spec/1\",\"components\":[{\"name\":\"A\",\"in\":[\"f\"]},\n"
                "{\"name\":\"A\",\"in\":[\"g\"]}]}") ==
        "app.json:2:9 at /components/1/name: the name 'A' is already taken by /components/0. Give "
        "siblings different "
        "names.");
}

TEST_CASE("bad spec: the spec's name is empty") {
  CHECK(
      message("{\"schema\":\"compmond.spec/1\",\"name\":\"\"}") ==
      "app.json:1:36 at /name: the spec's name is empty. Give it at least one visible character.");
}

TEST_CASE("bad spec: a color that is none") {
  for (const char* color : {"red", "#fff", "#gggggg", "c0392b#", "#1234567"})
    CHECK(
        message(with("\"color\":\"" + std::string(color) + "\"")) ==
        "app.json:2:21 at /components/0/color: '" + std::string(color) +
            "' is not a color. Write \"#rrggbb\" in hexadecimal digits, for example \"#c0392b\".");
  CHECK(
      message(with("\"color\":true")) ==
      "app.json:2:21 at /components/0/color: expected a string, found a boolean. Write a string.");
}

TEST_CASE("bad spec: an image or a kind that is empty") {
  CHECK(message(with("\"image\":\"\"")) ==
        "app.json:2:21 at /components/0/image: an image is empty. Give it at least one visible "
        "character.");
  CHECK(message(with("\"kind\":\"\"")) ==
        "app.json:2:20 at /components/0/kind: a kind is empty. Give it at least one visible "
        "character.");
}

TEST_CASE("bad spec: an exit mode near a known one, and one far from all") {
  CHECK(message(with("\"exit\":\"ret-site\"")) ==
        "app.json:2:20 at /components/0/exit: 'ret-site' is not an exit mode. Did you mean "
        "'ret-sites'?");
  CHECK(message(with("\"exit\":\"probably\"")) ==
        "app.json:2:20 at /components/0/exit: 'probably' is not an exit mode. Exit modes are auto, "
        "return-probe, "
        "ret-sites and entry-only; \"auto\" is safe.");
}

TEST_CASE("bad spec: an objective of zero, below zero, or beyond all sense") {
  const std::string at = "app.json:2:22 at /components/0/slo_ms: ";
  const std::string rest =
      " ms is out of range. Write milliseconds greater than 0 and at most 1000000000.";
  CHECK(message(with("\"slo_ms\":0")) == at + "an objective of 0" + rest);
  CHECK(message(with("\"slo_ms\":-1.5")) == at + "an objective of -1.5" + rest);
  CHECK(message(with("\"slo_ms\":1e300")) == at + "an objective of 1e+300" + rest);
  CHECK(message(with("\"slo_ms\":\"50\"")) ==
        at + "expected a number of milliseconds, found a string. Write a number of milliseconds.");
}

TEST_CASE("bad spec: a landmark that is no boolean") {
  CHECK(message(with("\"landmark\":\"yes\"")) ==
        "app.json:2:24 at /components/0/landmark: expected true or false, found a string. Write "
        "true or false.");
}

TEST_CASE("bad spec: in is no list") {
  CHECK(message(with("\"in\":\"f\"")) ==
        "app.json:2:18 at /components/0/in: expected a list of symbol patterns, found a string. "
        "Write a list of symbol "
        "patterns.");
}

TEST_CASE("bad spec: an operation is neither string nor object") {
  CHECK(message(with("\"out\":[\"f\",3]")) ==
        "app.json:2:24 at /components/0/out/1: expected a symbol pattern (a string or an object "
        "with \"symbol\"), "
        "found a number. Write a symbol pattern (a string or an object with \"symbol\").");
}

TEST_CASE("bad spec: an operation without a symbol") {
  CHECK(message(with("\"in\":[{\"name\":\"f\"}]")) ==
        "app.json:2:19 at /components/0/in/0: the operation has no symbol. Add \"symbol\": \"…\".");
}

TEST_CASE("bad spec: an operation's values are checked where they stand") {
  const auto op = [](const std::string& member) {
    return message(with("\"in\":[{\"symbol\":\"f\",\n" + member + "}]"));
  };
  CHECK(op("\"name\":\"\"") ==
        "app.json:3:8 at /components/0/in/0/name: an operation's name is empty. Give it at least "
        "one visible "
        "character.");
  CHECK(op("\"optional\":1") ==
        "app.json:3:12 at /components/0/in/0/optional: expected true or false, found a number. "
        "Write true or false.");
  CHECK(op("\"exit\":null") ==
        "app.json:3:8 at /components/0/in/0/exit: expected a string, found null. Write a string.");
  CHECK(
      op("\"slo_ms\":0").find("app.json:3:10 at /components/0/in/0/slo_ms: an objective of 0 ms") ==
      0);
  CHECK(op("\"landmark\":0").find("app.json:3:12 at /components/0/in/0/landmark: expected true") ==
        0);
}

TEST_CASE("bad spec: an argument that cannot be read") {
  const auto op = [](const std::string& member) {
    return message(with("\"in\":[{\"symbol\":\"f\",\n" + member + "}]"));
  };
  const std::string whole =
      " to read. Write a whole number from 1 to 6: those are passed in registers; in a member "
      "function 1 is 'this'.";
  CHECK(op("\"trace_id\":0") ==
        "app.json:3:12 at /components/0/in/0/trace_id: there is no argument 0" + whole);
  CHECK(op("\"session_id\":1.5") ==
        "app.json:3:14 at /components/0/in/0/session_id: there is no argument 1.5" + whole);
  CHECK(op("\"handoff\":{\"argument\":7,\"role\":\"give\"}") ==
        "app.json:3:23 at /components/0/in/0/handoff/argument: there is no argument 7" + whole);
  CHECK(op("\"trace_id\":{\"type\":\"string\"}") ==
        "app.json:3:12 at /components/0/in/0/trace_id: the argument is missing. Add \"argument\": "
        "N; the first one is 1, in a member function 'this'.");
  CHECK(op("\"trace_id\":{\"argument\":1,\"type\":\"text\"}") ==
        "app.json:3:33 at /components/0/in/0/trace_id/type: 'text' is not a type. Write one of "
        "integer, int32, pointer and string.");
  CHECK(op("\"trace_id\":[1]") ==
        "app.json:3:12 at /components/0/in/0/trace_id: expected the number of an argument or an "
        "object with \"argument\", found a list. Write the number of an argument or an object with "
        "\"argument\".");
  CHECK(op("\"handoff\":{\"argument\":1}") ==
        "app.json:3:11 at /components/0/in/0/handoff: the role is missing. Add \"role\": \"give\" "
        "where the pointer is handed over, \"take\" where another thread goes on with it.");
  CHECK(op("\"handoff\":{\"argument\":1,\"role\":\"keep\"}") ==
        "app.json:3:32 at /components/0/in/0/handoff/role: 'keep' is not a role. Write one of give "
        "and take.");
}

TEST_CASE("bad spec: a symbol pattern that is empty, too long or holds control characters") {
  const std::string at = "app.json:2:19 at /components/0/in/0: ";
  CHECK(message(with("\"in\":[\"\"]")) ==
        at + "a symbol pattern is empty. Give it at least one visible character.");
  CHECK(message(with("\"in\":[\"" + std::string(4097, 'f') + "\"]")) ==
        at + "a symbol pattern has 4097 bytes; the limit is 4096. Shorten it.");
  CHECK(message(with("\"in\":[\"f\\n\"]")) ==
        at + "a symbol pattern holds control characters: 'f\\u000a'. Remove them.");
}

TEST_CASE("bad spec: a regular expression without a text") {
  CHECK(message(with("\"in\":[\"re:\"]")) ==
        "app.json:2:19 at /components/0/in/0: the regular expression after 're:' is empty. Write "
        "one, for example "
        "\"re:^work_[0-9]+$\".");
}

TEST_CASE("bad spec: a raw offset instead of a symbol") {
  for (const char* raw : {"0x401000", "0XAB", "main+0x1c"})
    CHECK(message(with("\"in\":[\"" + std::string(raw) + "\"]")) ==
          "app.json:2:19 at /components/0/in/0: '" + std::string(raw) +
              "' is a raw offset. Name a symbol: a probe inside a function could split an "
              "instruction.");
}

TEST_CASE("bad spec: the place of a nested component is its pointer") {
  CHECK(message(with("\"components\":[{\"name\":\"B\",\"in\":[\"f\"]},{\"name\":\"C\",\"in\":["
                     "\"g\",\"\"]}]")) ==
        "app.json:2:73 at /components/0/components/1/in/1: a symbol pattern is empty. Give it at "
        "least one visible "
        "character.");
}

namespace {
const char* kTwo = R"([{"name":"A","in":["f"],"components":[{"name":"X","in":["x"]}]},
                      {"name":"Bee","in":["g"],"components":[{"name":"X","in":["y"]}]}])";
std::string connection(const std::string& list) {
  const std::string text = message(connected(kTwo, list));
  REQUIRE(text.rfind("app.json:3:", 0) == 0);
  return text.substr(11);
}
}  // namespace

TEST_CASE("bad spec: connections that are no list of pairs") {
  CHECK(connection("{}") ==
        "15 at /connections: expected a list of connections, found an object. Write a list of "
        "connections.");
  CHECK(
      connection("[\"A\"]") ==
      "16 at /connections/0: expected a pair [from, to], found a string. Write a pair [from, to].");
  CHECK(connection("[[\"A\"]]") ==
        "16 at /connections/0: a connection has two ends, found 1. Write [\"From\", \"To\"].");
  CHECK(connection("[[\"A\",\"Bee\",\"X\"]]") ==
        "16 at /connections/0: a connection has two ends, found 3. Write [\"From\", \"To\"].");
  CHECK(connection("[[\"A\",1]]") ==
        "21 at /connections/0/1: expected a component's name or path, found a number. Write a "
        "component's name or "
        "path.");
}

TEST_CASE("bad spec: a connection to an unknown component names the nearest") {
  CHECK(connection("[[\"A\",\"Be\"]]") ==
        "21 at /connections/0/1: there is no component 'Be'. Did you mean 'Bee'?");
  CHECK(connection("[[\"Elephant\",\"A\"]]") ==
        "17 at /connections/0/0: there is no component 'Elephant'. Name a component of this spec "
        "by its name, or by "
        "its path \"Parent/Child\".");
}

TEST_CASE("bad spec: a bare name that two components have") {
  CHECK(connection("[[\"A\",\"X\"]]") ==
        "21 at /connections/0/1: 2 components are named 'X'. Name one by its path, for example "
        "'A/X'.");
}

TEST_CASE("bad spec: a connection to itself, or given twice") {
  CHECK(connection("[[\"A\",\"A\"]]") ==
        "16 at /connections/0: a component is connected to itself. Remove it: a component's own "
        "calls are no edges.");
  CHECK(connection("[[\"A\",\"Bee\"],[\"A\",\"Bee\"]]") ==
        "28 at /connections/1: the connection is given twice. Keep one of them.");
}

TEST_CASE("bad spec: a note that is none, empty, too long, or holds control characters") {
  const auto noted = [](const std::string& note) {
    return message(with("\"in\":[\"f\"],\"note\":" + note));
  };
  CHECK(noted("7").find("expected a string, found a number") != std::string::npos);
  CHECK(noted("\"\"").find("a note is empty") != std::string::npos);
  CHECK(noted("\"" + std::string(4097, 'x') + "\"")
            .find("a note has 4097 bytes; the limit is 4096") != std::string::npos);
  CHECK(noted("\"a\\u001b\"").find("a note holds control characters") != std::string::npos);
}

TEST_CASE("bad spec: build ids that are no object, or not hexadecimal") {
  const auto built = [](const std::string& ids) {
    return message(
        "{\"schema\":\"compmond.spec/"
        "1\",\"components\":[{\"name\":\"A\",\"in\":[\"f\"]}],\"build_ids\":" +
        ids + "}");
  };
  CHECK(built("[]").find("expected an object with a build id for each file name, found ") !=
        std::string::npos);
  CHECK(built("{\"app\":7}").find("at /build_ids/app: expected a string") != std::string::npos);
  CHECK(built("{\"app\":\"AB12\"}").find("at /build_ids/app: 'AB12' is no build id") !=
        std::string::npos);
  CHECK(built("{\"app\":\"\"}").find("a build id is empty") != std::string::npos);
}
