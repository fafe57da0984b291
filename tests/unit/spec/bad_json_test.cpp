// SPDX-License-Identifier: Apache-2.0
#include "support.h"

// Texts that are not JSON, or JSON that no spec may be.
using namespace compmond::spec::test;

namespace {
const std::string kMend =
    ". Mend the text there; a comma or a quote just before it is the usual cause.";
}

TEST_CASE("bad json: an empty file") {
  CHECK(message("") ==
        "app.json:1:1: not valid JSON: syntax error while parsing value - unexpected end of input; "
        "expected '[', "
        "'{', or a literal" +
            kMend);
}

TEST_CASE("bad json: a text cut off in the middle names the end") {
  CHECK(message("{\n  \"schema\": \"compmond.spec/1\"") ==
        "app.json:2:30: not valid JSON: syntax error while parsing object - unexpected end of "
        "input; expected '}'" +
            kMend);
}

TEST_CASE("bad json: a comma before a closing brace") {
  CHECK(message("{\"schema\": \"x\",\n  }") ==
        "app.json:2:3: not valid JSON: syntax error while parsing object key - unexpected '}'; "
        "expected string "
        "literal" +
            kMend);
}

TEST_CASE("bad json: two commas point at the second") {
  CHECK(message("[1,,2]") ==
        "app.json:1:4: not valid JSON: syntax error while parsing value - unexpected ','; expected "
        "'[', '{', or a "
        "literal" +
            kMend);
}

TEST_CASE("bad json: a missing comma points at the value behind it") {
  CHECK(message("{\n\"a\": 12\n\"b\": 1}") ==
        "app.json:3:1: not valid JSON: syntax error while parsing object - unexpected string "
        "literal; expected '}'" +
            kMend);
}

TEST_CASE("bad json: a key without quotes") {
  CHECK(message("{schema: 1}") ==
        "app.json:1:2: not valid JSON: syntax error while parsing object key - invalid literal; "
        "expected string "
        "literal" +
            kMend);
}

TEST_CASE("bad json: a missing colon") {
  CHECK(message("{\"schema\" 1}") ==
        "app.json:1:11: not valid JSON: syntax error while parsing object separator - unexpected "
        "number literal; "
        "expected ':'" +
            kMend);
}

TEST_CASE("bad json: a string without an end names where it begins") {
  CHECK(message("{\"schema\":\n \"abc") ==
        "app.json:2:2: not valid JSON: syntax error while parsing value - invalid string: missing "
        "closing quote" +
            kMend);
}

TEST_CASE("bad json: text behind the end") {
  CHECK(message("{} {}") ==
        "app.json:1:4: not valid JSON: syntax error while parsing value - unexpected '{'; expected "
        "end of input" +
            kMend);
}

TEST_CASE("bad json: comments are not JSON") {
  CHECK(message("// hello\n{}") ==
        "app.json:1:1: not valid JSON: syntax error while parsing value - invalid literal" + kMend);
}

TEST_CASE("bad json: ill-formed UTF-8") {
  CHECK(message("{\"name\": \"\xff\"}") ==
        "app.json:1:10: not valid JSON: syntax error while parsing value - invalid string: "
        "ill-formed UTF-8 byte" +
            kMend);
}

TEST_CASE("bad json: half a surrogate pair") {
  CHECK(message("[\"\\ud800\"]").find("surrogate U+D800..U+DBFF must be followed by") !=
        std::string::npos);
}

TEST_CASE("bad json: a raw control character in a string is named, not shown") {
  const std::string text = message("{\"a\": \"x\x1b[31m\"}");
  CHECK(text.find("control character U+001B") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
}

TEST_CASE("bad json: a number out of range") {
  CHECK(message("[1e999]") ==
        "app.json:1:2: not valid JSON: a number that is out of range" + kMend);
}

TEST_CASE("bad json: the column counts characters, not bytes") {
  CHECK(message("[\"äöü\" 1]").substr(0, 14) == "app.json:1:8: ");
}

TEST_CASE("bad json: a duplicate key") {
  CHECK(message("{\"schema\":\"compmond.spec/1\",\n \"name\":\"a\",\n \"name\":\"b\"}") ==
        "app.json:3:2: the key 'name' is given twice. Keep one of them.");
}

TEST_CASE("bad json: a duplicate key in a component names the component") {
  CHECK(message(with("\"in\":[\"f\"],\n\"in\":[\"g\"]")) ==
        "app.json:3:1 at /components/0: the key 'in' is given twice. Keep one of them.");
}

TEST_CASE("bad json: a duplicate key that differs only in how it is escaped") {
  CHECK(message("{\"a\":1,\"\\u0061\":2}") ==
        "app.json:1:8: the key 'a' is given twice. Keep one of them.");
}

TEST_CASE("bad json: 33 levels are refused, 32 are read") {
  const std::string deep32 = std::string(32, '[') + std::string(32, ']');
  CHECK(message("[" + deep32 + "]").find("nested deeper than the limit of 32 levels. Flatten") !=
        std::string::npos);
  CHECK(message(deep32) == "app.json:1:1: expected an object, found a list. Write an object.");
}

TEST_CASE("bad json: a megabyte of brackets ends like any other depth") {
  const std::string text = message(std::string(1u << 20, '['));
  CHECK(text.find("app.json:1:33") == 0);
  CHECK(text.find("nested deeper") != std::string::npos);
}

TEST_CASE("bad json: a file over the size limit") {
  CHECK(message(std::string((1u << 20) + 1, ' ')) ==
        "app.json: larger than the limit of 1048576 bytes. Observe less, or use wildcards instead "
        "of listing every "
        "symbol.");
}

TEST_CASE("bad json: a hundred thousand keys are refused at the first unknown one") {
  std::string text = "{\"schema\":\"compmond.spec/1\"";
  for (int i = 0; i < 80'000; ++i) text += ",\"k" + std::to_string(i) + "\":0";
  CHECK(message(text + "}").find("unknown key 'k0'") != std::string::npos);
}

TEST_CASE("bad json: a key that is hostile is shown escaped and cut") {
  const std::string text =
      message("{\"schema\":\"compmond.spec/1\",\"\\u001b[2J" + std::string(5000, 'x') + "\":1}");
  CHECK(text.find("unknown key '\\u001b[2Jxx") != std::string::npos);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.size() < 400);
}
