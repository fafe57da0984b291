// SPDX-License-Identifier: Apache-2.0
#include "uprobe_exits/linked_images.h"

#include <doctest/doctest.h>

#include <cstdlib>

#include "../plan/built_image.h"

using namespace compmond;
using plan::Candidate;

namespace {

constexpr const char* kThrows =
    "void g(); int f() { try { g(); } catch (int) { return 1; } return 0; }";
constexpr const char* kPlain = "int f(void) { return 0; }";

// One that needs a library of this name, of which only that is there when it is built.
Candidate needing(const std::string& path, bool throws, const std::string& needed,
                  bool main = false) {
  char folder[] = "/tmp/compmond-needed-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string base = folder, stub = base + "/stub.so";
  std::string flags = "-Wl,-soname," + path.substr(path.rfind('/') + 1);
  if (!needed.empty()) {
    const std::string make = "cc -shared -nostdlib -xc /dev/null -Wl,-soname," + needed + " -o ";
    REQUIRE(std::system((make + stub).c_str()) == 0);
    flags += " -Wl,--no-as-needed " + stub;
  }
  auto out = built_image(path, throws ? ".cpp" : ".c", throws ? kThrows : kPlain, main, flags);
  REQUIRE(std::system(("rm -r " + base).c_str()) == 0);
  return out;
}

std::string above(const std::vector<Candidate>& all, size_t image) {
  return uprobe::LinkedImages(all).thrower_above(image);
}

}  // namespace

TEST_CASE("linked images: C++ that needs a C library, itself or by another, stands above it") {
  const auto c = needing("/lib/libc-like.so", false, "");
  const auto between = needing("/lib/libbetween.so", false, "libc-like.so");
  CHECK(above({needing("/bin/app", true, "libc-like.so", true), c}, 1) == "app");
  CHECK(above({needing("/bin/app", true, "libbetween.so", true), between, c}, 2) == "app");
  CHECK(above({needing("/bin/app", false, "libbetween.so", true), between, c}, 2).empty());
}

TEST_CASE("linked images: C++ below a C program, or beside a C library, is above neither") {
  const auto cpp = needing("/lib/libcpp.so", true, "");
  const auto app = needing("/bin/app", false, "libcpp.so", true);
  CHECK(above({app, cpp}, 0).empty());
}

TEST_CASE("linked images: C++ that was loaded later is above everything") {
  const auto app = needing("/bin/app", false, "", true);
  CHECK(above({app, needing("/lib/plugin.so", true, "")}, 0) == "plugin.so");
}

TEST_CASE("linked images: what nobody needs may be called by all that throws") {
  const auto cpp = needing("/lib/libcpp.so", true, "");
  const auto app = needing("/bin/app", false, "libcpp.so", true);
  CHECK(above({app, cpp, needing("/lib/loaded.so", false, "")}, 2) == "libcpp.so");
}

TEST_CASE("linked images: C++ of another program is above nothing of this one") {
  const auto c = needing("/lib/libc-like.so", false, "");
  auto cpp = needing("/bin/cpp", true, "libc-like.so", true);
  auto plain = needing("/bin/plain", false, "libc-like.so", true);
  auto library = c;
  cpp.programs = 1;
  plain.programs = 2;
  library.programs = 2;
  CHECK(above({cpp, plain, library}, 1).empty());
  CHECK(above({cpp, plain, library}, 2).empty());
  library.programs = 3;  // used by both
  CHECK(above({cpp, plain, library}, 2) == "cpp");
}

TEST_CASE("linked images: where no main executable is known, all that throws is above") {
  const auto c = needing("/lib/libc-like.so", false, "");
  CHECK(above({needing("/lib/libcpp.so", true, ""), c}, 1) == "libcpp.so");
}

TEST_CASE("linked images: C++ without exceptions, and the language's runtime, throw nothing") {
  const auto app = needing("/bin/app", false, "", true);
  CHECK(
      above({app, built_image("/lib/plugin.so", ".cpp", "void g(); int f() { g(); return 0; }")}, 0)
          .empty());
  CHECK(above({app, needing("/lib/libstdc++.so.6", true, "")}, 0).empty());
}
