// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>
#include <fcntl.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "code/scan.h"
#include "elf/image.h"

// Unmodified binaries of the distribution, with objdump as an independent decoder; scripts/setup
// installs all of them.
using namespace compmond;

namespace {

struct Binary {
  const char* path;
  int complete_percent, cheap_percent;  // at least; what was measured, less a little
};
constexpr std::array<Binary, 5> kBinaries{{
    {"/usr/lib/postgresql/15/bin/postgres", 95, 88},
    {"/usr/lib/x86_64-linux-gnu/libsqlite3.so.0", 95, 79},
    {"/usr/lib/x86_64-linux-gnu/libstdc++.so.6", 98, 78},
    {"/usr/bin/python3.11", 94, 80},
    {"/usr/lib/x86_64-linux-gnu/libc.so.6", 90, 70},
}};
constexpr size_t kSample = 400;  // functions per binary, spread evenly: keeps the test short

elf::Image open_image(const std::string& path) {
  Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE_MESSAGE(fd.valid(), path, " is missing: run scripts/setup");
  auto image = elf::Image::open(std::move(fd), path);
  if (!image) FAIL(image.error().text());
  return std::move(*image);
}

std::vector<elf::Symbol> sample(const elf::Image& image) {
  std::vector<elf::Symbol> all;
  for (const auto& symbol : image.symbols())
    if (symbol.kind == elf::SymbolKind::kFunction && symbol.size > 0 &&
        (all.empty() || all.back().vaddr + all.back().size <= symbol.vaddr))
      all.push_back(symbol);
  std::vector<elf::Symbol> some;
  const size_t step = all.size() / kSample + 1;
  for (size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}

// Addresses of the ret instructions that objdump shows in [begin, end).
std::vector<uint64_t> objdump_rets(const std::string& path, uint64_t begin, uint64_t end) {
  const std::string command =
      "objdump -d --no-show-raw-insn --start-address=" + std::to_string(begin) +
      " --stop-address=" + std::to_string(end) + " " + path;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(::popen(command.c_str(), "r"), ::pclose);
  REQUIRE(pipe);
  std::vector<uint64_t> rets;
  for (char line[512]; std::fgets(line, sizeof line, pipe.get());) {
    const std::string text = line;
    const size_t colon = text.find(":\t");
    if (colon == std::string::npos) continue;
    std::string words = text.substr(colon + 2);
    for (const std::string prefix : {"repz ", "bnd ", "rep "})
      if (words.starts_with(prefix)) words.erase(0, prefix.size());
    if (words.starts_with("ret")) rets.push_back(std::strtoull(line, nullptr, 16));
  }
  REQUIRE_MESSAGE(::pclose(pipe.release()) == 0, "objdump failed or is missing: run scripts/setup");
  return rets;
}

}  // namespace

TEST_CASE("code_real: most functions of real binaries have known exits and a cheap place") {
  for (const Binary& binary : kBinaries) {
    const auto image = open_image(binary.path);
    code::CodeScanner scanner(image);
    int total = 0, complete = 0, cheap = 0;
    for (const auto& symbol : sample(image)) {
      const auto scan = scanner.scan(symbol);
      ++total;
      complete += scan && scan->exits_complete;
      cheap += scan && scan->entry.kind != code::SiteKind::kStepped;
    }
    CAPTURE(std::string(binary.path));
    CHECK(total > 100);
    CHECK(100 * complete / total >= binary.complete_percent);
    CHECK(100 * cheap / total >= binary.cheap_percent);
  }
}

TEST_CASE("code_real: the rets found are those that objdump shows in the function") {
  constexpr uint64_t kStretch = 256 << 10;  // of code per binary that objdump decodes
  for (const Binary& binary : kBinaries) {
    const auto image = open_image(binary.path);
    code::CodeScanner scanner(image);
    const auto& text = *std::ranges::max_element(image.text(), {}, &elf::Image::Range::size);
    const uint64_t begin = text.vaddr + text.size / 2,
                   end = begin + std::min(kStretch, text.size / 2);
    const auto rets = objdump_rets(binary.path, begin, end);
    int compared = 0;
    for (const auto& symbol : image.symbols()) {
      if (symbol.kind != elf::SymbolKind::kFunction || symbol.vaddr < begin ||
          symbol.vaddr + symbol.size > end)
        continue;
      const auto scan = scanner.scan(symbol);
      if (!scan || !scan->exits_complete) continue;
      auto in_body = [&](uint64_t vaddr) { return vaddr - symbol.vaddr < symbol.size; };
      std::vector<uint64_t> mine, theirs;
      for (const auto& exit : scan->exits)
        if (!exit.tail_jump && in_body(exit.vaddr)) mine.push_back(exit.vaddr);
      std::ranges::copy_if(rets, std::back_inserter(theirs), in_body);
      CAPTURE(symbol.name);
      CHECK(mine == theirs);
      ++compared;
    }
    CAPTURE(std::string(binary.path));
    CHECK(compared > 10);
  }
}
