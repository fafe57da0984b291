// SPDX-License-Identifier: Apache-2.0
// bench_patchable FILE...: of the functions that each file names, how many the in-process engine
// could patch, and how; a line of JSON for each file.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "base/clock.h"
#include "base/fd.h"
#include "elf/image.h"
#include "inprocess/planner.h"
#include "inprocess/tally.h"
#include "patches/patcher.h"

namespace compmond::bench {
namespace {

using nlohmann::json;

json counted(const elf::Image& image, bool all) {
  const uint64_t began = monotonic_ns();
  inprocess::Patcher patcher(image);
  const uint64_t swept = monotonic_ns();
  inprocess::Tally tally;
  std::set<uint64_t> known;
  for (const elf::Symbol& symbol : image.symbols()) {
    if (symbol.kind != elf::SymbolKind::kFunction || code::is_cold_part(symbol)) continue;
    if (symbol.size == 0 && image.fde_size(symbol.vaddr) == 0) continue;  // no function
    if (!known.insert(symbol.vaddr).second) continue;
    const plan::Way way = inprocess::way_of(patcher.plan(symbol), symbol, image);
    if (way.refused && all) fmt::print(stderr, "{}: {}\n", symbol.demangled, way.reason);
    tally.add(way);
  }
  return {{"file", image.path()},
          {"functions", tally.functions},
          {"patched", tally.patched},
          {"kinds", tally.kinds},
          {"refusals", tally.refusals},
          {"sweep_ns", swept - began},
          {"plan_ns", monotonic_ns() - swept}};
}

}  // namespace
}  // namespace compmond::bench

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    compmond::Fd file(::open(argv[i], O_RDONLY | O_CLOEXEC));
    auto image = compmond::elf::Image::open(std::move(file), argv[i]);
    if (!image) {
      fmt::print(stderr, "{}\n", image.error().text());
      return 1;
    }
    fmt::print("{}\n", compmond::bench::counted(*image, ::getenv("EACH") != nullptr).dump());
  }
  return 0;
}
