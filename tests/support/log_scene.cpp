// SPDX-License-Identifier: Apache-2.0
#include "log_scene.h"

#include <stdlib.h>

#include <fstream>
#include <iterator>

namespace compmond::recording {

using record::Event;
using record::EventKind;

TemporaryFolder::TemporaryFolder() {
  std::string name = std::filesystem::temp_directory_path() / "compmond-log-XXXXXX";
  path_ = ::mkdtemp(name.data());
}

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_content(const std::string& path, std::string_view bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), std::streamsize(bytes.size()));
}

Event event(EventKind kind, uint64_t time_ns, uint32_t op, uint64_t sp, uint64_t arg) {
  Event out;
  out.kind = kind;
  out.time_ns = time_ns;
  out.op = op;
  out.sp = sp;
  out.arg = arg;
  return out;
}

Header small_header() {
  Header out;
  out.version = "test";
  out.run = "0123456789abcdef";
  out.spec_name = "small";
  out.components = {{"A", -1}, {"A/B", 0}};
  for (int i = 0; i < 2; ++i) {
    Operation op;
    op.component = i;
    op.name = op.symbol = std::string("f") + char('a' + i);
    op.interface = "in";
    op.exit_mode = "return-probe";
    op.engine = "one";
    op.site = "push";
    op.inside_ns = 312.25;
    out.operations.push_back(op);
  }
  out.engines = {{"uprobe", "session", true}};
  out.history_bytes = 1u << 20;
  out.start_ns = out.begin_ns = kSceneStart;
  out.state.as_of_ns = kSceneStart;
  out.state.targets.push_back({100, "/bin/small", "", 5, true});
  return out;
}

Block small_block(uint64_t number, uint32_t calls) {
  Block out;
  out.first_event = number * calls * 8;
  uint64_t time = kSceneStart + number * 1'000'000;
  for (uint32_t thread = 0; thread < 2; ++thread) {
    out.threads.push_back({thread, {100, 100 + thread, 5, "worker"}});
    if (number == 0) out.steps.push_back({Block::Call::kThread, thread, 0, 0});
    out.steps.push_back({Block::Call::kEvents, thread, calls * 4, 0});
    for (uint32_t i = 0; i < calls; ++i) {
      out.events.push_back(event(EventKind::kEntry, time += 100, 0, 0x7000));
      out.events.push_back(event(EventKind::kEntry, time += 100, 1, 0x6f00));
      out.events.push_back(event(EventKind::kExit, time += 100, 1, 0x6f00));
      out.events.push_back(event(EventKind::kExit, time += 100, 0, 0x7000));
    }
  }
  return out;
}

void write_small_log(const std::string& path, uint64_t blocks) {
  auto file = *LogFile::create(path, 0);
  (void)file.begin(small_header());
  State state = small_header().state;
  for (uint64_t i = 0; i < blocks; ++i) {
    const Block block = small_block(i);
    ChunkHead head;
    const std::string payload = encode(block, head);
    const std::string bytes = seal(head, payload);
    (void)file.append(head, bytes);
    state.events += block.events.size();
  }
  state.ended = true;
  state.as_of_ns = kSceneStart + blocks * 1'000'000;
  ChunkHead head;
  const std::string bytes = state_chunk(state, head);
  (void)file.append(head, bytes);
  (void)file.finish();
}

void Lines::on_thread(record::ThreadId thread, const record::ThreadInfo& info) {
  out_.lines.push_back(fmt::format("thread {} is {} {} {}", thread, info.pid, info.tid, info.name));
}

void Lines::on_events(record::ThreadId thread, std::span<const Event> events) {
  for (const Event& e : events) {
    out_.lines.push_back(fmt::format("{} {} {} {} {:x} {} {}", thread, e.time_ns, int(e.kind), e.op,
                                     e.sp, e.arg, e.flags));
    ++(e.kind == EventKind::kLoss ? out_.losses : out_.events);
  }
}

Read read_all(LogReader& reader) {
  Read out;
  Lines lines(out);
  while (reader.next(lines)) {
  }
  out.damage = reader.damage();
  out.state = reader.last_state();
  return out;
}

Result<Read> read_log(const std::string& path) {
  auto reader = LogReader::open(path);
  if (!reader) return Unexpected(std::move(reader.error()));
  return read_all(*reader);
}

}  // namespace compmond::recording
