// SPDX-License-Identifier: Apache-2.0
#include "uprobe_exits/call_graph.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <string>
#include <vector>

#include "../plan/built_image.h"

using namespace compmond;
using plan::Candidate;

namespace {

constexpr int kFunctions = 12;  // of a program, in two libraries

// A program of functions that call each other at random, some through a pointer or something that
// nobody defines, and which of them can come to do so: the truth.
struct Program {
  std::vector<std::string> sources{2};
  std::vector<bool> opens = std::vector<bool>(kFunctions);
};

std::string name(size_t function) { return fmt::format("f{}", function); }

Program random_program(std::mt19937& random) {
  const auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  Program out;
  std::vector<std::vector<size_t>> calls(kFunctions);
  for (std::string& source : out.sources) {
    source =
        "extern long (*pointer)(long); long nobody(long); unsigned long strlen(const char*);\n";
    for (size_t i = 0; i < kFunctions; ++i) source += fmt::format("long {}(long);\n", name(i));
  }
  for (size_t i = 0; i < kFunctions; ++i) {
    std::string body = chance(30) ? "n += (long)strlen((const char*)n); " : "";
    for (unsigned k = random() % 3; k > 0; --k) {  // itself and circles too
      calls[i].push_back(random() % kFunctions);
      body += fmt::format("if (n & {}) n += {}(n - 1); ", 1 + random() % 7, name(calls[i].back()));
    }
    if (chance(6)) {
      out.opens[i] = true;
      body += "n += pointer(n) + 1; ";
    }
    if (chance(4)) {
      out.opens[i] = true;
      body += "n += nobody(n); ";
    }
    std::string last = "return n;";
    if (chance(30)) {  // a tail call
      calls[i].push_back(random() % kFunctions);
      last = fmt::format("return {}(n);", name(calls[i].back()));
    } else if (chance(5)) {
      out.opens[i] = true;
      last = "return pointer(n);";
    }
    out.sources[i % 2] +=
        fmt::format("__attribute__((noipa)) long {}(long n) {{ {}{} }}\n", name(i), body, last);
  }
  for (bool more = true; more;) {
    more = false;
    for (size_t i = 0; i < kFunctions; ++i)
      for (const size_t callee : calls[i])
        if (out.opens[callee] && !out.opens[i]) more = out.opens[i] = true;
  }
  return out;
}

uprobe::Place place_of(const std::vector<Candidate>& all, const std::string& function) {
  for (size_t i = 0; i < all.size(); ++i)
    for (const elf::Symbol& symbol : all[i].image->symbols())
      if (symbol.name == function && symbol.kind == elf::SymbolKind::kFunction)
        return {i, symbol.vaddr};
  FAIL("no function ", function);
  return {};
}

}  // namespace

TEST_CASE("call graph: of random programs exactly what cannot come to a pointer is closed") {
  std::mt19937 random(7);
  size_t closed = 0, open = 0;
  for (int round = 0; round < 12; ++round) {
    const Program program = random_program(random);
    const std::string flags = round % 2 == 0 ? "-O2" : "-O2 -fno-plt";
    const std::vector<Candidate> all = {
        built_image("/bin/a", ".c", program.sources[0], true, flags),
        built_image("/lib/b.so", ".c", program.sources[1], false, flags)};
    uprobe::LinkedImages linked(all);
    uprobe::CallGraph graph(all, linked);
    for (size_t i = 0; i < kFunctions; ++i) {
      const std::string opening = graph.opening(place_of(all, name(i)));
      INFO(program.sources[0], program.sources[1], name(i), ": ", opening);
      CHECK(opening.empty() == !program.opens[i]);
      ++(opening.empty() ? closed : open);
    }
  }
  CHECK(closed > 20);
  CHECK(open > 20);
}
