// SPDX-License-Identifier: Apache-2.0
#include "terminal/inside.h"

#include <doctest/doctest.h>

#include "lines.h"
#include "text/columns.h"

using namespace compmond;
using snapshot::Estimate;
using snapshot::Inside;
using snapshot::Spent;
using snapshot::Whose;
using terminal::test::holds;
using terminal::test::line_with;

namespace {

Spent ms_spent(double cpu, double waiting, uint64_t samples) {
  const auto of = [](double ms) { return Estimate{ms * 1e6, ms * 0.9e6, ms * 1.1e6}; };
  return {of(cpu), of(waiting), of(cpu + waiting), samples};
}

// Of a second: work() computes, memcpy() helps it, and the kernel is asked; main() and two others
// called it.
Inside second_of_work() {
  Inside out;
  out.total = ms_spent(800, 200, 500);
  out.functions = {
      {"memcpy", "/lib/libc.so.6", 64, Whose::kLibrary, ms_spent(500, 0, 300),
       ms_spent(500, 0, 300)},
      {"work(int)", "/bin/host", 16, Whose::kOwn, ms_spent(280, 200, 190), ms_spent(800, 200, 500)},
      {"", "", std::nullopt, Whose::kKernel, ms_spent(20, 0, 4), ms_spent(20, 0, 4)},
      {"main", "/bin/host", 32, Whose::kOwn, {}, {}},
      {"", "/bin/host", 0x40, Whose::kOwn, {}, {}},
      {"rare", "/bin/host", 48, Whose::kOwn, {}, {}},
  };
  out.callees = {{}};
  out.callers = {{-1, -1, 0, 0, 8e8, 2e8, 500},
                 {0, 3, 0, 0, 7e8, 2e8, 450},
                 {0, 5, 0, 0, 1e6, 0, 1},
                 {1, 4, 0, 0, 7e8, 2e8, 450}};
  out.taken = 1000;
  out.off_cpu_share = 1;
  return out;
}

std::string text_of(const Inside& inside, int width = 120) {
  return terminal::inside(inside, "Host/Worker", {}, terminal::test::wide(width));
}

}  // namespace

TEST_CASE("inside table: functions have own and total time, their spread, and whose they are") {
  const std::string text = text_of(second_of_work());
  CAPTURE(text);
  CHECK(holds(text, "Inside Host/Worker"));
  CHECK(holds(text, "800 ms ±10 % on CPU · 200 ms ±10 % waiting · 500 of 1,000 samples"));
  const std::string memcpy_line = line_with(text, "memcpy");
  CHECK(holds(memcpy_line, "500 ms   ±10 %"));
  CHECK(holds(memcpy_line, "50.0 %"));
  CHECK(holds(memcpy_line, "libc.so.6 (library)"));
  const std::string work = line_with(text, "work(int)");
  CHECK(holds(work, "280 ms   200 ms"));
  CHECK(holds(work, "1.00 s    100 %"));
  CHECK(holds(work, "host"));
  const std::string kernel = line_with(text, "[kernel]");
  CHECK(holds(kernel, "<22.0 ms"));  // four samples
  CHECK(holds(kernel, "kernel"));
}

TEST_CASE(
    "inside table: callers stand below whom they called, those that hardly matter not at all") {
  const std::string text = text_of(second_of_work());
  CAPTURE(text);
  CHECK(holds(line_with(text, "  main "), "900 ms   90.0 %"));
  CHECK(holds(text, "\n    0x40 "));
  CHECK_FALSE(holds(text, "rare"));
}

TEST_CASE("inside table: what is not known is said, and a part that nothing was seen of is empty") {
  Inside inside = second_of_work();
  inside.complete = false;
  inside.without_stack = 7;
  inside.folded = 1;
  inside.taken = 2000;
  inside.truncated = 40;
  inside.broken = 3;
  inside.off_cpu_share = 0;
  const std::string text = text_of(inside);
  CHECK(holds(text, "only the newest samples"));
  CHECK(holds(text, "7 samples whose stack was forgotten"));
  CHECK(holds(text, "1 sample end early"));
  CHECK(holds(text, "2.00 % of all stacks cut, 0.15 % broken"));
  CHECK_FALSE(holds(text, "waiting"));
  const std::string nothing = text_of(Inside());
  CHECK(holds(nothing, "0 of 0 samples"));
  CHECK_FALSE(holds(nothing, "function"));
}

TEST_CASE("inside table: no line is wider than it may be, and long lists are cut") {
  Inside inside = second_of_work();
  for (int i = 0; i < 100; ++i)
    inside.functions.push_back({std::string(300, 'x') + "\x1b[31m", "/lib/y.so", 1, Whose::kLibrary,
                                ms_spent(1, 0, 9), ms_spent(1, 0, 9)});
  for (const int width : {40, 80, 200})
    for (const std::string& line : terminal::test::lines_of(text_of(inside, width)))
      CHECK(text::columns(line) <= size_t(width));
  CHECK(holds(text_of(inside), "78 more"));
  CHECK_FALSE(holds(text_of(inside), "\x1b"));
}

TEST_CASE("inside table: where there is no sample it is said why") {
  Inside none;
  snapshot::Snapshot s;
  const auto text = [&] { return terminal::inside(none, "Worker", s, terminal::test::wide(120)); };
  CHECK(holds(text(), "none were taken"));
  snapshot::SamplesHealth& samples = s.health.samples.emplace();
  samples.hz = 99;
  CHECK(holds(text(), "used no CPU time here"));
  samples.cpu_ns = 5e6;
  CHECK(holds(text(), "used 5.00 ms of CPU time here, too little for 99 Hz"));
  s.window_start_ns = 100;
  samples.known_until_ns = 90;
  CHECK(holds(text(), "not known yet"));
  samples.lost = 12;
  CHECK(holds(text(), "all 12 were lost"));
  none.taken = 40;
  CHECK(holds(text(), "on no stack that was looked at"));
}
