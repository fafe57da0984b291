// SPDX-License-Identifier: Apache-2.0
// hostile_log KIND COUNT OUT: a sound log, small on disk, that asks much of whoever reads it.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>

#include "log_format/codec.h"
#include "recording/log_file.h"

using namespace compmond;

namespace {

using record::Event;
using record::EventKind;
using recording::Block;

constexpr uint64_t kStart = 1'000'000'000;
constexpr uint32_t kChunkEvents = 200'000;

recording::Header header(size_t operations) {
  recording::Header out;
  out.version = "test";
  out.run = "0123456789abcdef";
  out.spec_name = "hostile";
  out.spec_text =
      R"({"schema":"compmond.spec/1","name":"hostile","components":[{"name":"A","in":["f*"]}]})";
  out.components = {{"A", -1}};
  for (size_t i = 0; i < operations; ++i) {
    recording::Operation op;
    op.name = op.symbol = fmt::format("f{}", i);
    op.interface = "in";
    op.exit_mode = "return-probe";
    out.operations.push_back(op);
  }
  out.engines = {{"uprobe", "session", true}};
  out.history_bytes = 1u << 20;
  out.start_ns = out.begin_ns = out.state.as_of_ns = kStart;
  out.state.targets.push_back({100, "/bin/hostile", "", 5, true});
  return out;
}

// A log that grows event by event.
class Log {
 public:
  Log(const char* path, recording::Header of)
      : file_(*recording::LogFile::create(path, 0)), state_(of.state) {
    check(file_.begin(std::move(of)));
  }
  void add(uint32_t thread, EventKind kind, uint32_t op, uint64_t sp, uint64_t after_ns = 10) {
    if (known_.emplace(thread, true).second)
      block_.threads.push_back({thread, {100, 100 + thread, 5, "worker"}});
    if (block_.steps.empty() || block_.steps.back().thread != thread)
      block_.steps.push_back({Block::Call::kEvents, thread, 0, 0});
    ++block_.steps.back().count;
    Event event;
    event.kind = kind;
    event.op = op;
    event.sp = sp;
    event.time_ns = now_ns_ += after_ns;
    block_.events.push_back(event);
    if (block_.events.size() >= kChunkEvents || known_.size() >= recording::kMaxThreads) write();
  }
  void call(uint32_t thread, uint32_t op, uint64_t ns) {
    add(thread, EventKind::kEntry, op, 0x7000);
    add(thread, EventKind::kExit, op, 0x7000, ns);
  }
  void end() {
    write();
    state_.ended = true;
    state_.capture.hits = state_.capture.delivered = state_.events;
    state_.as_of_ns = now_ns_ + 1;
    recording::ChunkHead head;
    const std::string bytes = recording::state_chunk(state_, head);
    check(file_.append(head, bytes));
    check(file_.finish());
  }

 private:
  static void check(const Result<void>& done) {
    if (done) return;
    std::fprintf(stderr, "hostile_log: %s\n", done.error().text().c_str());
    std::exit(1);
  }
  void write() {
    if (block_.empty()) return;
    block_.first_event = state_.events;
    recording::ChunkHead head;
    const std::string payload = recording::encode(block_, head);
    const std::string bytes = recording::seal(head, payload);
    check(file_.append(head, bytes));
    state_.events += block_.events.size();
    block_.clear();
    known_.clear();
  }

  recording::LogFile file_;
  recording::State state_;
  Block block_;
  std::map<uint32_t, bool> known_;
  uint64_t now_ns_ = kStart;
};

void write(const std::string& kind, uint32_t count, const char* path) {
  const bool many = kind == "operations" || kind == "spread" || kind == "edges";
  Log log(path, header(many ? count : 2));
  if (kind == "threads")  // each calls once and is never heard of again
    for (uint32_t i = 0; i < count; ++i) log.call(i, 0, 10);
  if (kind == "open")  // each is inside of a call, for ever
    for (uint32_t i = 0; i < count; ++i) log.add(i, EventKind::kEntry, 0, 0x7000);
  if (kind == "deep")  // threads inside of 8,000 calls each
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t depth = 0; depth < 8000; ++depth)
        log.add(i, EventKind::kEntry, 0, (uint64_t(1) << 40) - 16 * depth);
  if (kind == "operations")
    for (uint32_t i = 0; i < count; ++i) log.call(0, i, 10);
  if (kind == "spread")  // the shortest and the longest times of each
    for (uint64_t ns : {uint64_t(10), uint64_t(1) << 45})
      for (uint32_t i = 0; i < count; ++i) log.call(0, i, ns);
  if (kind == "edges")  // each calls each
    for (uint32_t i = 0; i < count; ++i)
      for (uint32_t j = 0; j < count; ++j) {
        log.add(0, EventKind::kEntry, i, 0x7000);
        log.add(0, EventKind::kEntry, j, 0x6f00);
        log.add(0, EventKind::kExit, j, 0x6f00);
        log.add(0, EventKind::kExit, i, 0x7000);
      }
  if (kind == "long") {  // one trace of so many calls
    log.add(0, EventKind::kEntry, 0, 0x7000);
    for (uint32_t i = 0; i < count; ++i) {
      log.add(0, EventKind::kEntry, 1, 0x6f00);
      log.add(0, EventKind::kExit, 1, 0x6f00);
    }
    log.add(0, EventKind::kExit, 0, 0x7000);
  }
  log.end();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: hostile_log KIND COUNT OUT\n");
    return 64;
  }
  write(argv[1], uint32_t(std::atol(argv[2])), argv[3]);
  return 0;
}
