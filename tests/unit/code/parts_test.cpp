// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <string>

#include "code/scan.h"
#include "elf/image.h"

using namespace compmond;

namespace {

constexpr const char* kSource = R"(
#include <stdexcept>
#define OP extern "C" __attribute__((noinline))
volatile int g;
void helper(int) __attribute__((noinline, noipa));
void helper(int n) { if (n > 1000) throw std::runtime_error("much"); g = g + n; }
OP int op_catch(int n) {
  try { helper(n); } catch (const std::exception& e) { g = g + e.what()[0]; return -1; }
  return n;
}
OP int op_rare(int n) {
  if (n < 0) [[unlikely]] { for (int i = 0; i < 10; ++i) helper(i * g); throw n; }
  return n + g;
}
OP int op_plain(int n) { return n * g; }
)";

// A library with cold parts, whose names are there, and the same without any but dynamic ones.
struct Library {
  std::string folder;
  elf::Image named, stripped;

  static Library build() {
    char name[] = "/tmp/compmond-parts-XXXXXX";
    REQUIRE(::mkdtemp(name) != nullptr);
    const std::string base = name;
    std::ofstream(base + "/code.cpp") << kSource;
    const std::string command = "cd " + base +
                                " && c++ -O2 -std=c++20 -shared -fPIC -o named.so code.cpp && "
                                "strip -o stripped.so named.so";
    REQUIRE(std::system(command.c_str()) == 0);
    Library out{base, opened(base + "/named.so"), opened(base + "/stripped.so")};
    std::system(("rm -r " + base).c_str());
    return out;
  }
  static elf::Image opened(const std::string& path) {
    auto image = elf::Image::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path);
    if (!image) FAIL(image.error().text());
    return std::move(*image);
  }
};

const elf::Symbol* symbol(const elf::Image& image, const std::string& name) {
  const auto it = std::ranges::find(image.symbols(), name, &elf::Symbol::name);
  return it == image.symbols().end() ? nullptr : &*it;
}

}  // namespace

TEST_CASE("parts: a function's cold part is found, also where it has no name") {
  const Library library = Library::build();
  code::CodeScanner named(library.named), stripped(library.stripped);
  for (const std::string name : {"op_catch", "op_rare"}) {
    CAPTURE(name);
    const elf::Symbol* cold = symbol(library.named, name + ".cold");
    REQUIRE(cold != nullptr);  // else the compiler does not split any more: change the source
    CHECK(symbol(library.stripped, name + ".cold") == nullptr);
    const elf::Symbol* function = symbol(library.stripped, name);
    REQUIRE(function != nullptr);
    for (code::CodeScanner* scanner : {&named, &stripped}) {
      const auto parts = scanner->parts(*function);
      REQUIRE(parts.size() == 2);
      CHECK(parts[0].vaddr == function->vaddr);
      CHECK(parts[0].size == function->size);
      CHECK(parts[1].vaddr == cold->vaddr);
      CHECK(parts[1].size >= cold->size);
    }
  }
  CHECK(stripped.parts(*symbol(library.stripped, "op_plain")).size() == 1);
}

TEST_CASE("parts: they are the same before and after a scan") {
  const Library library = Library::build();
  code::CodeScanner scanner(library.stripped), fresh(library.stripped);
  for (const std::string name : {"op_catch", "op_plain", "op_rare"}) {
    const elf::Symbol& function = *symbol(library.stripped, name);
    REQUIRE(scanner.scan(function).has_value());
    const auto after = scanner.parts(function), alone = fresh.parts(function);
    REQUIRE(after.size() == alone.size());
    for (size_t i = 0; i < after.size(); ++i) CHECK(after[i].vaddr == alone[i].vaddr);
  }
}

TEST_CASE("parts: of a function of unknown size nothing is known") {
  const Library library = Library::build();
  elf::Symbol nowhere = *symbol(library.stripped, "op_plain");
  nowhere.size = 0;
  nowhere.vaddr += 1;
  code::CodeScanner scanner(library.stripped);
  CHECK(scanner.parts(nowhere).empty());
}
