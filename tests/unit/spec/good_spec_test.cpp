// SPDX-License-Identifier: Apache-2.0
#include <rapidcheck.h>

#include "support.h"

using namespace compmond;
using namespace compmond::spec;
using namespace compmond::spec::test;

namespace {
const char* kFull = R"json({
  "$schema": "../specs/compmond.spec-1.schema.json",
  "schema": "compmond.spec/1", "name": "file host",
  "components": [
    { "name": "FileHandler", "color": "#c0392B", "image": "libfilehost.so.1",
      "in": ["fh::FileHandler::open(*)", {"symbol": "re:^fh_", "name": "all", "optional": true, "exit": "entry-only",
              "slo_ms": 0.5, "landmark": false}],
      "out": ["fh::FileHandler::send*"],
      "exit": "ret-sites", "slo_ms": 50, "landmark": true, "kind": "input",
      "components": [
        { "name": "Cache", "in": ["cache_get"] },
        { "name": "Disk", "image": "/lib/disk.so", "exit": "auto", "in": ["disk_*"] } ]
},
    { "name": "FileEncrypter", "in": ["operator+", "operator new(unsigned long)"] } ],
  "connections": [ ["FileHandler", "FileEncrypter"], ["FileEncrypter", "Cache"], ["FileHandler/Disk", "Cache"] ]
})json";
}  // namespace

TEST_CASE("spec: every value of the full example is where it belongs") {
  const Spec spec = good(kFull);
  CHECK(spec.name == "file host");
  CHECK(spec.path == "app.json");
  REQUIRE(spec.components.size() == 4);
  const Component& handler = spec.components[0];
  CHECK(handler.path == "FileHandler");
  CHECK(handler.parent == -1);
  CHECK(handler.color == "#c0392B");
  CHECK(handler.image == "libfilehost.so.1");
  CHECK(handler.exit == ExitMode::kRetSites);
  CHECK(handler.slo_ms == 50);
  CHECK(handler.landmark);
  CHECK(handler.kind == "input");
  CHECK(handler.pointer == "/components/0");
  REQUIRE(handler.operations.size() == 3);
  CHECK(handler.operations[0].symbol == "fh::FileHandler::open(*)");
  CHECK(handler.operations[0].interface == Interface::kIn);
  CHECK(handler.operations[2].symbol == "fh::FileHandler::send*");
  CHECK(handler.operations[2].interface == Interface::kOut);
  CHECK(handler.operations[2].pointer == "/components/0/out/0");
}

TEST_CASE("spec: an operation has what its component says, unless it says so itself") {
  const Spec spec = good(kFull);
  const Operation& plain = spec.components[0].operations[0];
  CHECK(plain.exit == ExitMode::kRetSites);
  CHECK(plain.slo_ms == 50);
  CHECK(plain.landmark);
  CHECK_FALSE(plain.optional);
  const Operation& own = spec.components[0].operations[1];
  CHECK(own.name == "all");
  CHECK(own.exit == ExitMode::kEntryOnly);
  CHECK(own.slo_ms == 0.5);
  CHECK_FALSE(own.landmark);
  CHECK(own.optional);
}

TEST_CASE("spec: image and exit come from the parent when absent, objective and landmark do not") {
  const Spec spec = good(kFull);
  const Component& cache = spec.components[1];
  CHECK(cache.path == "FileHandler/Cache");
  CHECK(cache.parent == 0);
  CHECK(cache.image == "libfilehost.so.1");
  CHECK(cache.exit == ExitMode::kRetSites);
  CHECK(cache.operations[0].exit == ExitMode::kRetSites);
  CHECK_FALSE(cache.slo_ms.has_value());
  CHECK_FALSE(cache.landmark);
  const Component& disk = spec.components[2];
  CHECK(disk.image == "/lib/disk.so");
  CHECK(disk.exit == ExitMode::kAuto);
  CHECK(spec.components[3].image.empty());
}

TEST_CASE("spec: the order of the keys does not matter for inheritance") {
  const Spec spec = good(with(
      R"("components":[{"name":"B","in":["g"]}],"in":["f"],"exit":"entry-only","image":"x.so")"));
  CHECK(spec.components[0].operations[0].exit == ExitMode::kEntryOnly);
  CHECK(spec.components[1].operations[0].exit == ExitMode::kEntryOnly);
  CHECK(spec.components[1].image == "x.so");
}

TEST_CASE("spec: connections name components by path or by an unambiguous name") {
  const Spec spec = good(kFull);
  REQUIRE(spec.connections.size() == 3);
  CHECK(spec.connections[0].from == 0);
  CHECK(spec.connections[0].to == 3);
  CHECK(spec.connections[1].to == 1);
  CHECK(spec.connections[2].from == 2);
}

TEST_CASE("spec: a path wins over a bare name of another component") {
  const Spec spec = good(
      connected(R"([{"name":"P","components":[{"name":"A","in":["f"]}]},{"name":"A","in":["g"]}])",
                R"([["A","P/A"]])"));
  CHECK(spec.connections[0].from == 2);
  CHECK(spec.connections[0].to == 1);
}

TEST_CASE("spec: without a name it is called after its file") {
  const auto spec = parse(with(R"("in":["f"])"), "/etc/compmond/shop.json");
  REQUIRE(spec.has_value());
  CHECK(spec->name == "shop");
}

TEST_CASE("spec: the same name under different parents is fine") {
  const Spec spec = good(with(R"("in":["f"],"components":[{"name":"A","in":["g"]}])"));
  CHECK(spec.components[1].path == "A/A");
}

TEST_CASE("spec: 15 nested components fit, a 16th is too deep") {
  const auto nested = [](int levels) {
    std::string text = R"({"name":"c","in":["f"]})";
    for (int i = 1; i < levels; ++i) text = R"({"name":"c","components":[)" + text + "]}";
    return R"({"schema":"compmond.spec/1","components":[)" + text + "]}";
  };
  CHECK(good(nested(15)).components.size() == 15);
  CHECK(message(nested(16)).find("nested deeper") != std::string::npos);
}

TEST_CASE("spec: a byte order mark is skipped") {
  CHECK(good("\xef\xbb\xbf" + with(R"("in":["f"])")).components.size() == 1);
}

TEST_CASE("exit modes: every name leads back to itself") {
  for (ExitMode mode :
       {ExitMode::kAuto, ExitMode::kReturnProbe, ExitMode::kRetSites, ExitMode::kEntryOnly})
    CHECK(from_text<ExitMode>(to_text(mode)) == mode);
  CHECK_FALSE(from_text<ExitMode>("Auto").has_value());
}

TEST_CASE("spec: damaged text never crashes, and every refusal says what to do") {
  const std::string whole = kFull;
  CHECK(rc::check([&] {
    std::string text = whole;
    const int edits = *rc::gen::inRange(1, 6);
    for (int i = 0; i < edits && !text.empty(); ++i) {
      const size_t at = *rc::gen::inRange<size_t>(0, text.size());
      if (*rc::gen::arbitrary<bool>())
        text.erase(at, *rc::gen::inRange<size_t>(1, 20));
      else
        text[at] = *rc::gen::arbitrary<char>();
    }
    const auto spec = parse(text, "app.json");
    if (!spec) {
      RC_ASSERT(spec.error().code == Exit::kData);
      RC_ASSERT(!spec.error().why.empty());
      RC_ASSERT(!spec.error().next.empty());
    }
  }));
}

TEST_CASE("spec: an operation says what its arguments mean") {
  const Spec spec = good(
      R"json({"schema": "compmond.spec/1", "components": [{"name": "A", "in": [
        {"symbol": "f", "trace_id": 2, "session_id": {"argument": 1, "type": "string"},
         "handoff": {"argument": 6, "role": "take"}},
        {"symbol": "g", "handoff": {"role": "give", "argument": 1}},
        {"symbol": "h"}]}]})json");
  const auto& operations = spec.components[0].operations;
  using Kind = ContextKind;
  using Type = ContextType;
  CHECK(operations[0].contexts == std::vector<Context>{{Kind::kTraceId, Type::kInteger, 2},
                                                       {Kind::kSessionId, Type::kString, 1},
                                                       {Kind::kTake, Type::kPointer, 6}});
  CHECK(operations[1].contexts == std::vector<Context>{{Kind::kGive, Type::kPointer, 1}});
  CHECK(operations[2].contexts.empty());
}

TEST_CASE("spec: an engine comes from the parent, and an operation may have its own") {
  const Spec spec = good(with(
      R"("engine":"in-process","in":["f",{"symbol":"g","engine":"uprobe"}],"components":[{"name":"B","in":["h"]}])"));
  CHECK(spec.components[0].operations[0].engine == "in-process");
  CHECK(spec.components[0].operations[1].engine == "uprobe");
  CHECK(spec.components[1].operations[0].engine == "in-process");
  CHECK_FALSE(spec.allow_patching);
}

TEST_CASE("spec: notes are for people, and build ids are kept by file name") {
  const Spec spec = good(
      R"({"schema":"compmond.spec/1","note":"about it","build_ids":{"app":"00ab12","lib.so.1":"c"},
          "components":[{"name":"A","note":"60 % of the time","in":["f"]}]})");
  CHECK(spec.build_ids == std::map<std::string, std::string>{{"app", "00ab12"}, {"lib.so.1", "c"}});
  CHECK(
      good(with("\"in\":[\"f\"],\"note\":\"" + std::string(4096, 'x') + "\"")).components.size() ==
      1);
}
