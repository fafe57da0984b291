// SPDX-License-Identifier: Apache-2.0
// Programs and libraries as distributions ship them; those that are not installed are skipped.
#include <doctest/doctest.h>
#include <unistd.h>

#include <optional>

#include "elf/pattern.h"
#include "files.h"

using namespace compmond;
using namespace compmond::elf;
using namespace compmond::test;

namespace {

std::optional<Image> installed(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) {
    MESSAGE("not installed: " << path);
    return std::nullopt;
  }
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
  if (!image) return;
  CHECK(functions(*image) > 9000);
  CHECK_FALSE(image->traits().unwinds);
  CHECK(look_up(*image, "standard_ExecutorRun").functions.size() == 1);
  for (const Symbol& symbol : image->symbols()) {
    if (symbol.kind != SymbolKind::kFunction) continue;
    INFO(symbol.name);
    CHECK(image->fde_size(symbol.vaddr) == symbol.size);
    CHECK(image->file_offset(symbol.vaddr).has_value());
  }
}

TEST_CASE("system: libsqlite3 does not unwind, libstdc++ does") {
  if (const auto image = installed("/usr/lib/x86_64-linux-gnu/libsqlite3.so.0")) {
    CHECK_FALSE(image->traits().unwinds);
    CHECK(look_up(*image, "sqlite3_step").functions.size() == 1);
  }
  if (const auto image = installed("/usr/lib/x86_64-linux-gnu/libstdc++.so.6")) {
    CHECK(image->traits().unwinds);
    CHECK(look_up(*image, "std::locale::operator==").functions.size() == 1);
    CHECK(look_up(*image, "std::basic_filebuf<char, *>::open").functions.size() >= 2);
  }
}

TEST_CASE("system: libcrypto switches stacks for its asynchronous jobs") {
  const auto image = installed("/usr/lib/x86_64-linux-gnu/libcrypto.so.3");
  if (!image) return;
  CHECK(image->traits().switches_stacks);
  CHECK(functions(*image) > 4000);
}

TEST_CASE("system: memcpy of the C library is an IFUNC, its old version is never taken for it") {
  const auto image = installed("/lib/x86_64-linux-gnu/libc.so.6");
  if (!image) return;
  const Matches matches = look_up(*image, "memcpy");
  CHECK(matches.functions.empty());
  REQUIRE(matches.rejected.size() == 2);
  CHECK(matches.rejected[0].symbol->kind == SymbolKind::kIfunc);
  CHECK(matches.rejected[1].symbol->version == "GLIBC_2.2.5");
  CHECK(look_up(*image, "memcpy@GLIBC_2.2.5").functions.size() == 1);
  CHECK(look_up(*image, "malloc").functions.size() == 1);
}
