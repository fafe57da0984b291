// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "code/scan.h"
#include "elf/image.h"
#include "real_binaries.h"

// objdump as an independent decoder; scripts/setup installs it.
using namespace compmond;

namespace {

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

TEST_CASE("real binaries: the rets found are those that objdump shows in the function") {
  constexpr uint64_t kStretch = 256 << 10;  // of code per binary that objdump decodes
  for (const std::string path : kRealBinaries) {
    const auto image = open_image(path);
    code::CodeScanner scanner(image);
    const auto& text = *std::ranges::max_element(image.text(), {}, &elf::Image::Range::size);
    const uint64_t begin = text.vaddr + text.size / 2,
                   end = begin + std::min(kStretch, text.size / 2);
    const auto rets = objdump_rets(path, begin, end);
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
    CAPTURE(path);
    CHECK(compared > 10);
  }
}

TEST_CASE("real binaries: what jumps through the tables of CPython has known exits") {
  const std::string path = "/usr/bin/python3.11";
  const auto image = open_image(path);
  code::CodeScanner scanner(image);
  int found = 0;
  for (const auto& symbol : image.symbols()) {
    if (symbol.name != "PyUnicode_Format" && symbol.name != "_PyEval_EvalFrameDefault") continue;
    ++found;
    CAPTURE(symbol.name);
    const auto scan = scanner.scan(symbol);
    REQUIRE(scan);
    CHECK(scan->incomplete_reason == "");
    std::vector<uint64_t> mine;
    for (const auto& exit : scan->exits)
      if (!exit.tail_jump && exit.vaddr - symbol.vaddr < symbol.size) mine.push_back(exit.vaddr);
    CHECK(mine == objdump_rets(path, symbol.vaddr, symbol.vaddr + symbol.size));
  }
  CHECK(found == 2);
}
