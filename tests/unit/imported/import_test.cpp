// SPDX-License-Identifier: Apache-2.0
#include "imported/import.h"

#include <doctest/doctest.h>

#include "../kieker/folder.h"

using namespace compmond;
using kieker::test::Folder;

namespace {

// Of a log whose operations are spread over so many classes.
std::optional<Error> failure(int operations, int classes) {
  const Folder folder;
  std::string text;
  for (int i = 0; i < operations; ++i)
    text += fmt::format("$1;300;void com.example.some.package.Class{}.f{}();s;{};{};{};host;0;0\n",
                        i % classes, i, i, 10 + i, 20 + i);
  folder.write("kieker.map", kieker::test::kMap);
  folder.write("kieker-1.dat", text);
  const auto log = imported::import_log(folder.path());
  if (log) return std::nullopt;
  CHECK(log.error().code == Exit::kData);
  CHECK(log.error().what == fmt::format("cannot replay the log '{}'", folder.path()));
  CHECK(log.error().next.find("compmond analyze") != std::string::npos);
  return log.error();
}

}  // namespace

TEST_CASE("import: more operations than can be shown are an error that says how many") {
  const auto error = failure(100'001, 10);
  REQUIRE(error);
  CHECK(error->why == "it has 100,001 operations, and 100,000 can be shown");
}

TEST_CASE("import: more names of classes than can be shown are an error that says how many") {
  const auto error = failure(25'000, 25'000);
  REQUIRE(error);
  CHECK(error->why.starts_with("it has 25,000 operations, and those of some 1"));
  CHECK(error->why.ends_with(" of its 25,000 classes can be shown"));
}

TEST_CASE("import: many operations of few classes are taken") { CHECK(!failure(25'000, 100)); }
