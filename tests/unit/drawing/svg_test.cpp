// SPDX-License-Identifier: Apache-2.0
#include "drawing/svg.h"

#include <doctest/doctest.h>

#include "base/out.h"

using namespace compmond;
using namespace compmond::drawing;

namespace {

bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("svg: text is escaped, and cut where there is no room") {
  CHECK(xml_text("a<b>&\"\x01") == "a&lt;b&gt;&amp;&quot;");
  StringOut out;
  Svg svg(out, 10, 10, "t");
  svg.text({0, 0}, "a rather long name", {.size = 10, .room = 40});
  const std::string text = out.text();
  CHECK(contains(text, "…"));
  CHECK(contains(text, "<title>a rather long name</title>"));
}

TEST_CASE("svg: a document is as wide as its title") {
  StringOut narrow, wide;
  Svg(narrow, 10, 10, "t");
  Svg(wide, 10, 10, "a title that needs some room");
  CHECK_FALSE(contains(narrow.text(), "width=\"10\""));
  CHECK(contains(wide.text(), "width=\"299\""));
}

TEST_CASE("svg: a shifted document is closed with its group") {
  StringOut out;
  Svg svg(out, 10, 10, "t");
  svg.shift({3, 4});
  svg.rect({0, 0, 2, 2}, {.fill = kHue}, "a & b");
  svg.end();
  const std::string text = out.text();
  CHECK(contains(text, "<g transform=\"translate(3.0,4.0)\">"));
  CHECK(contains(text, "fill=\"#e5533d\"><title>a &amp; b</title></rect>\n</g>\n</svg>\n"));
}
