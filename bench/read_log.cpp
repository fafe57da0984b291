// SPDX-License-Identifier: Apache-2.0
// bench_read_log FILE: reads a monitoring log and does nothing with its events, then prints how
// many they were. The floor of every analysis of a log.
#include <cstdio>

#include "recording/log_reader.h"

namespace {

struct Count : compmond::record::EventSink {
  void on_thread(compmond::record::ThreadId, const compmond::record::ThreadInfo&) override {}
  void on_events(compmond::record::ThreadId,
                 std::span<const compmond::record::Event> events) override {
    seen += events.size();
  }
  size_t seen = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: bench_read_log FILE\n"), 64;
  auto log = compmond::recording::LogReader::open(argv[1]);
  if (!log) return std::fprintf(stderr, "%s\n", log.error().text().c_str()), 65;
  Count count;
  while (log->next(count)) {
  }
  std::printf("events %zu\n", count.seen);
}
