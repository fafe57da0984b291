// SPDX-License-Identifier: Apache-2.0
// Programs and libraries as the distribution ships them; scripts/setup installs all of them.
#include <doctest/doctest.h>
#include <unistd.h>

#include "names/pattern.h"
#include "support/elf_files.h"

using namespace compmond;
using namespace compmond::elf;
using namespace compmond::names;
using namespace compmond::test;

namespace {

Image installed(const std::string& path) {
  REQUIRE_MESSAGE(::access(path.c_str(), R_OK) == 0, path, " is missing: run scripts/setup");
  return image_of(path);
}

size_t functions(const Image& image) {
  size_t count = 0;
  for (const Symbol& symbol : image.symbols()) count += symbol.kind == SymbolKind::kFunction;
  return count;
}

Matches look_up(const Image& image, const std::string& text) {
  return find(image, *Pattern::compile(text));
}

}  // namespace

TEST_CASE("system: postgres exports thousands of functions and does not unwind") {
  const auto image = installed("/usr/lib/postgresql/15/bin/postgres");
  CHECK(functions(image) > 9000);
  CHECK_FALSE(image.traits().unwinds);
  CHECK(look_up(image, "standard_ExecutorRun").functions.size() == 1);
  for (const Symbol& symbol : image.symbols()) {
    if (symbol.kind != SymbolKind::kFunction) continue;
    INFO(symbol.name);
    CHECK(image.fde_size(symbol.vaddr) == symbol.size);
    CHECK(image.file_offset(symbol.vaddr).has_value());
  }
}

TEST_CASE("system: libsqlite3 does not unwind, libstdc++ does") {
  const auto sqlite = installed("/usr/lib/x86_64-linux-gnu/libsqlite3.so.0");
  CHECK_FALSE(sqlite.traits().unwinds);
  CHECK(look_up(sqlite, "sqlite3_step").functions.size() == 1);
  const auto cpp = installed("/usr/lib/x86_64-linux-gnu/libstdc++.so.6");
  CHECK(cpp.traits().unwinds);
  CHECK(look_up(cpp, "std::locale::operator==").functions.size() == 1);
  CHECK(look_up(cpp, "std::basic_filebuf<char, *>::open").functions.size() >= 2);
}

TEST_CASE("system: libcrypto switches stacks for its asynchronous jobs") {
  const auto image = installed("/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
  CHECK(image.traits().switches_stacks);
  CHECK(functions(image) > 4000);
}

TEST_CASE("system: memcpy of the C library is an IFUNC, its old version is never taken for it") {
  const auto image = installed("/lib/x86_64-linux-gnu/libc.so.6");
  const Matches matches = look_up(image, "memcpy");
  CHECK(matches.functions.empty());
  REQUIRE(matches.rejected.size() == 2);
  CHECK(matches.rejected[0].symbol->kind == SymbolKind::kIfunc);
  CHECK(matches.rejected[1].symbol->version == "GLIBC_2.2.5");
  CHECK(look_up(image, "memcpy@GLIBC_2.2.5").functions.size() == 1);
  CHECK(look_up(image, "malloc").functions.size() == 1);
}
