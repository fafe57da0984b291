// SPDX-License-Identifier: Apache-2.0
// bench_patched drain           how many records a second are read out of what programs share
// bench_patched stops PID FILE  plans all functions of FILE that are called many_N, patches them in
//                               the process, and then 64 of them at a time back and again
// bench_patched cycles PID FILE TIMES  patches all functions of FILE that can be, some ms later
// leaves
//                               the process as it was, and does it again
// A line of JSON each.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fd.h"
#include "code/memory.h"
#include "elf/image.h"
#include "patches/patcher.h"
#include "patient/patient.h"
#include "record/checked_source.h"
#include "rings/ring_reader.h"
#include "surgery/stopped_threads.h"
#include "trampolines/portable.h"

namespace compmond::bench {
namespace {

using nlohmann::json;
using namespace inprocess;

constexpr int kRounds = 20;

void fail_if(bool failed, const std::string& what) {
  if (!failed) return;
  fmt::print(stderr, "bench_patched: {}\n", what);
  std::exit(1);
}

struct Counted : record::EventSink {
  void on_thread(record::ThreadId, const record::ThreadInfo&) override {}
  void on_events(record::ThreadId, std::span<const record::Event> of) override {
    events += of.size();
  }
  uint64_t events = 0;
};

// As a thread that calls one function as often as there is room.
void fill(std::span<std::byte> memory, const SharedLayout& layout, size_t slot, uint64_t ticks) {
  auto& of = *reinterpret_cast<ThreadRecords*>(memory.data() + layout.slot(slot));
  auto* const ring = reinterpret_cast<Record*>(memory.data() + layout.ring_of(slot));
  of.tid = uint32_t(slot) + 1;
  for (; of.begun < of.limit; ++of.begun)
    ring[of.begun & (layout.ring - 1)] = {ticks - (of.limit - of.begun), 0x7000, 1 + of.begun % 2};
}

json drained(size_t threads) {
  const SharedLayout layout{.threads = 16};
  std::vector<std::byte> memory(layout.size());
  RingReader reader({.memory = memory, .layout = layout, .who = [](uint32_t tid) {
                       return std::optional(record::ThreadInfo{.pid = 1, .tid = tid, .name = {}});
                     }});
  const std::vector<SiteEvent> sites = {{0, record::EventKind::kEntry, 0, 0},
                                        {0, record::EventKind::kExit, 0, 0}};
  reader.add_sites(sites);
  record::CheckedSource checked(reader, {.operations = 1});
  for (size_t i = 0; i < threads; ++i)
    reinterpret_cast<ThreadRecords*>(memory.data() + layout.slot(i))->limit =
        layout.ring - kRingReserve;
  Counted sink;
  uint64_t ns = 0;
  for (int round = 0; round < kRounds; ++round) {
    for (size_t i = 0; i < threads; ++i) fill(memory, layout, i, TickClock::now().ticks);
    const uint64_t began = monotonic_ns();
    checked.drain(sink);
    ns += monotonic_ns() - began;
  }
  fail_if(sink.events != kRounds * threads * (layout.ring - kRingReserve), "some were not read");
  return {{"threads", threads}, {"events", sink.events}, {"ns", ns}};
}

// Of those whose names begin so, all that can be patched.
std::vector<Patient::Function> functions_of(const elf::Image& image, FileId file,
                                            const std::string& prefix) {
  const auto memory = code::memory_of(image);
  Patcher patcher(image);
  std::vector<Patient::Function> out;
  uint32_t site = 1;
  for (const elf::Symbol& symbol : image.symbols()) {
    if (!symbol.name.starts_with(prefix) || symbol.kind != elf::SymbolKind::kFunction) continue;
    const FunctionPatches patches = patcher.plan(symbol);
    if (patches.refused()) continue;
    const auto code = portable(*memory, patches);
    fail_if(!code, symbol.name + " has no code");
    out.push_back({uint32_t(out.size()), file, symbol.vaddr, *image.file_offset(symbol.vaddr), site,
                   packed(*code)});
    site += uint32_t(code->sites.size());
  }
  return out;
}

double median_ms(std::vector<uint64_t> ns) {
  std::ranges::sort(ns);
  return double(ns[ns.size() / 2]) / 1e6;
}

json stopped(pid_t pid, const char* path) {
  constexpr size_t kAtOnce = 64;  // entry and exit of each: as many patches as a stop has
  struct stat st {};
  auto image = elf::Image::open(Fd(::open(path, O_RDONLY | O_CLOEXEC)), path);
  fail_if(!image || ::stat(path, &st) != 0, "cannot open the file");
  may_go_first();
  const uint64_t began = monotonic_ns();
  const auto functions = functions_of(*image, {st.st_dev, st.st_ino}, "many_");
  const uint64_t planned = monotonic_ns();
  auto patient = Patient::open(pid, {});
  fail_if(!patient, patient ? "" : patient.error().text());
  const uint64_t opened = monotonic_ns();
  const auto refused = patient->patch(functions);
  fail_if(!refused, refused ? "" : refused.error().text());
  fail_if(!refused->empty(), "some are refused");
  const uint64_t patched = monotonic_ns();
  std::vector<uint64_t> stop, go, back, again;
  for (int round = 0; round < kRounds; ++round) {
    const size_t first = size_t(round) * kAtOnce % (functions.size() - kAtOnce);
    const std::span some(functions.data() + first, kAtOnce);
    std::vector<uint32_t> numbers;
    for (const Patient::Function& one : some) numbers.push_back(one.number);
    const uint64_t stopping = monotonic_ns();
    uint64_t held = 0;
    {
      const auto threads = StoppedThreads::stop_all(pid);
      fail_if(!threads, "not stopped");
      held = monotonic_ns();
    }
    const uint64_t start = monotonic_ns();
    stop.push_back(held - stopping);
    go.push_back(start - held);
    fail_if(!patient->put_back(numbers), "not put back");
    back.push_back(monotonic_ns() - start);
    const uint64_t turn = monotonic_ns();
    fail_if(!patient->patch(some), "not patched again");
    again.push_back(monotonic_ns() - turn);
  }
  const uint64_t leaving = monotonic_ns();
  fail_if(!patient->leave(), "it was not left");
  return {{"functions", functions.size()},
          {"plan_ms", double(planned - began) / 1e6},
          {"open_ms", double(opened - planned) / 1e6},
          {"patch_ms", double(patched - opened) / 1e6},
          {"stop_ms", median_ms(stop)},
          {"go_ms", median_ms(go)},
          {"back_ms", median_ms(back)},
          {"again_ms", median_ms(again)},
          {"leave_ms", double(monotonic_ns() - leaving) / 1e6}};
}

json cycled(pid_t pid, const char* path, int times) {
  constexpr useconds_t kMeanwhile = 3000;  // µs
  struct stat st {};
  auto image = elf::Image::open(Fd(::open(path, O_RDONLY | O_CLOEXEC)), path);
  fail_if(!image || ::stat(path, &st) != 0, "cannot open the file");
  may_go_first();
  const auto functions = functions_of(*image, {st.st_dev, st.st_ino}, "");
  size_t refused = 0;
  for (int i = 0; i < times; ++i) {
    auto patient = Patient::open(pid, {});
    fail_if(!patient, patient ? "" : patient.error().text());
    const auto patched = patient->patch(functions);
    fail_if(!patched, patched ? "" : patched.error().text());
    refused = std::max(refused, patched->size());
    ::usleep(kMeanwhile);
    const auto left = patient->leave();
    fail_if(!left, left ? "" : left.error().text());
  }
  return {{"functions", functions.size()}, {"refused", refused}, {"cycles", times}};
}

}  // namespace
}  // namespace compmond::bench

int main(int argc, char** argv) {
  using namespace compmond::bench;
  if (argc == 2 && std::strcmp(argv[1], "drain") == 0) {
    nlohmann::json out;
    for (const size_t threads : {1, 2, 8}) out.push_back(drained(threads));
    fmt::print("{}\n", out.dump());
    return 0;
  }
  if (argc == 4 && std::strcmp(argv[1], "stops") == 0) {
    fmt::print("{}\n", stopped(std::atoi(argv[2]), argv[3]).dump());
    return 0;
  }
  if (argc == 5 && std::strcmp(argv[1], "cycles") == 0) {
    fmt::print("{}\n", cycled(std::atoi(argv[2]), argv[3], std::atoi(argv[4])).dump());
    return 0;
  }
  fmt::print(stderr, "usage: bench_patched drain | stops PID FILE | cycles PID FILE TIMES\n");
  return 64;
}
