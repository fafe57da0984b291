// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "log_format/codec.h"
#include "recording/log_reader.h"
#include "recording/recorder.h"

namespace compmond::recording {

// A folder that goes away with what is in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  std::string file(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

std::string content_of(const std::string& path);
void write_content(const std::string& path, std::string_view bytes);

constexpr uint64_t kSceneStart = 1'000'000'000;

record::Event event(record::EventKind kind, uint64_t time_ns, uint32_t op, uint64_t sp,
                    uint64_t arg = 0);

Header small_header();
// Two threads, each with `calls` calls of operation 0 that call operation 1; chunk `number` of a
// log that has these one after the other.
Block small_block(uint64_t number, uint32_t calls = 3);
// A log of so many of these blocks, ended properly.
void write_small_log(const std::string& path, uint64_t blocks);

// Everything that a reader handed over, as text, one line per thread or event.
struct Read {
  std::vector<std::string> lines;
  size_t events = 0, losses = 0;
  std::vector<Damage> damage;
  State state;
};
Read read_all(LogReader& reader);
Result<Read> read_log(const std::string& path);

// A sink that keeps lines as `Read` has them.
class Lines : public record::EventSink {
 public:
  explicit Lines(Read& out) : out_(out) {}
  void on_thread(record::ThreadId thread, const record::ThreadInfo& info) override;
  void on_events(record::ThreadId thread, std::span<const record::Event> events) override;

 private:
  Read& out_;
};

}  // namespace compmond::recording
