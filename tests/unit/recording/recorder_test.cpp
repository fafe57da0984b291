// SPDX-License-Identifier: Apache-2.0
#include "recording/recorder.h"

#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "support/log_scene.h"

using namespace compmond;
using namespace compmond::recording;
using record::Event;
using record::EventKind;

namespace {

// A stream of calls on two threads, handed to a recorder and kept as text.
class Stream {
 public:
  explicit Stream(Recorder& recorder) : recorder_(recorder) {}

  void thread(uint32_t id) {
    const record::ThreadInfo info{100, 100 + id, 5, "worker"};
    recorder_.on_thread(id, info);
    Lines(sent).on_thread(id, info);
  }
  void call(uint32_t id) {
    noise_ = noise_ * 6364136223846793005u + 1442695040888963407u;
    const Event events[] = {
        event(EventKind::kEntry, time += 100 + (noise_ >> 54), 0, 0x7000),
        event(EventKind::kExit, time += 100 + (noise_ >> 44) % 1000, 0, 0x7000)};
    recorder_.on_events(id, events);
    if (keep) Lines(sent).on_events(id, events);
  }
  void exit(uint32_t id) { end(id, EventKind::kThreadExit); }
  void end(uint32_t id, EventKind kind) {
    const Event last = event(kind, time += 100, 0, 0);
    recorder_.on_events(id, {&last, 1});
    Lines(sent).on_events(id, {&last, 1});
  }

  Read sent;
  bool keep = true;
  uint64_t time = kSceneStart;

 private:
  Recorder& recorder_;
  uint64_t noise_ = 7;
};

std::unique_ptr<Recorder> open(Recorder::Options options) {
  auto recorder = Recorder::open(std::move(options));
  REQUIRE(recorder);
  REQUIRE((*recorder)->start(small_header()));
  return std::move(*recorder);
}

std::unique_ptr<Recorder> open(const std::string& path, uint64_t limit = 0,
                               size_t queue = limits::kLogQueueBytes) {
  Recorder::Options options;
  options.path = path;
  options.limit_bytes = limit;
  options.queue_bytes = queue;
  return open(std::move(options));
}

State end_state(uint64_t time_ns) {
  State out = small_header().state;
  out.as_of_ns = time_ns;
  out.ended = true;
  out.notes = {"a note"};
  return out;
}

}  // namespace

TEST_CASE("recorder: what is handed over is in the log, in order, with the last state") {
  const TemporaryFolder folder;
  auto recorder = open(folder.file("log"));
  Stream stream(*recorder);
  stream.thread(0);
  stream.thread(1);
  for (int i = 0; i < 50'000; ++i) stream.call(uint32_t(i) % 3 == 0);
  stream.exit(1);
  recorder->finish(end_state(stream.time));
  CHECK(!recorder->take_error());
  CHECK(recorder->status().events == 100'001);
  CHECK(recorder->status().dropped == 0);
  const auto read = read_log(folder.file("log"));
  REQUIRE(read);
  CHECK(read->lines == stream.sent.lines);
  CHECK(read->damage.empty());
  CHECK(read->state.ended);
  CHECK(read->state.events == 100'001);
  CHECK(read->state.notes == std::vector<std::string>{"a note"});
  CHECK(content_of(folder.file("log")).size() < 4 * 100'001);
}

TEST_CASE("recorder: that somebody removed the log is an error") {
  const TemporaryFolder folder;
  auto recorder = open(folder.file("log"));
  Stream stream(*recorder);
  stream.thread(0);
  stream.call(0);
  std::filesystem::remove(folder.file("log"));
  recorder->finish(end_state(stream.time));
  const auto error = recorder->take_error();
  REQUIRE(error);
  CHECK(error->code == Exit::kCantCreate);
  CHECK(error->why == "it was removed since the start");
}

TEST_CASE("recorder: a log whose writer died has all that was flushed") {
  const TemporaryFolder folder;
  auto recorder = open(folder.file("log"));
  Stream stream(*recorder);
  stream.thread(0);
  for (int i = 0; i < 100; ++i) stream.call(0);
  recorder->flush();
  const std::string so_far = content_of(folder.file("log"));
  for (int i = 0; i < 100; ++i) stream.call(0);
  recorder.reset();
  write_content(folder.file("log"), so_far);
  const auto read = read_log(folder.file("log"));
  REQUIRE(read);
  CHECK(read->events == 200);
  CHECK(read->damage.empty());
  CHECK(!read->state.ended);
}

TEST_CASE("recorder: a queue that is full drops events, counts them, and the log shows the gap") {
  const TemporaryFolder folder;
  // The queue holds two blocks, and the flood is faster than anybody packs.
  auto recorder = open(folder.file("log"), 0, 1);
  Stream stream(*recorder);
  stream.keep = false;
  stream.thread(0);
  stream.thread(1);
  while (recorder->status().dropped == 0)
    for (int i = 0; i < 100'000; ++i) stream.call(0);
  stream.exit(1);
  recorder->flush();
  for (int i = 0; i < 10; ++i) stream.call(0);
  const auto before = recorder->status();
  recorder->finish(end_state(stream.time));
  CHECK(!recorder->take_error());
  const auto read = read_log(folder.file("log"));
  REQUIRE(read);
  CHECK(read->state.dropped_events == before.dropped);
  uint64_t missing = 0;
  for (const Damage& damage : read->damage) {
    missing += damage.events;
    CHECK(damage.bytes == 0);
    CHECK(damage.from_ns < damage.to_ns);
  }
  CHECK(missing == before.dropped);
  CHECK(read->events + missing == before.events);
  CHECK(read->losses > 0);
}

TEST_CASE("recorder: with a limit there are two files, read as one, and never more on disk") {
  const TemporaryFolder folder;
  const uint64_t limit = 400'000;
  auto recorder = open(folder.file("log"), limit);
  Stream stream(*recorder);
  stream.keep = false;
  stream.thread(0);
  uint64_t most = 0;
  for (int i = 0; i < 60; ++i) {
    for (int j = 0; j < 10'000; ++j) stream.call(0);
    recorder->flush();
    uint64_t sum = 0;
    for (const char* name : {"log", "log.1"}) {
      struct stat st {};
      if (::stat(folder.file(name).c_str(), &st) == 0) sum += uint64_t(st.st_size);
    }
    most = std::max(most, sum);
  }
  recorder->finish(end_state(stream.time));
  CHECK(!recorder->take_error());
  CHECK(most <= limit + 50'000);  // header, state and index of each
  CHECK(most > limit / 2);
  CHECK(recorder->status().bytes > limit);
  auto reader = *LogReader::open(folder.file("log"));
  CHECK(reader.header().segment > 1);
  CHECK(reader.begin_ns() > kSceneStart);
  const Read both = read_all(reader);
  CHECK(both.damage.empty());
  CHECK(both.losses == 0);
  CHECK(both.events > 60'000);
  CHECK(read_log(folder.file("log.1"))->lines == both.lines);  // whichever is named
  uint64_t apart = 0;
  for (const char* kept : {"log", "log.1"}) {
    const TemporaryFolder other;
    write_content(other.file("log"), content_of(folder.file(kept)));
    const auto alone = read_log(other.file("log"));
    REQUIRE(alone);
    CHECK(alone->damage.empty());
    apart += alone->events;
  }
  CHECK(apart == both.events);
}

TEST_CASE("recorder: the flight recorder keeps the newest seconds and writes them when asked") {
  const TemporaryFolder folder;
  Recorder::Options options;
  options.last_ns = 50'000'000;
  std::vector<std::string> saved;
  options.save_log = [&](std::string_view log) -> Result<void> {
    saved.emplace_back(log);
    return {};
  };
  auto recorder = open(std::move(options));
  Stream stream(*recorder);
  stream.keep = false;
  stream.thread(0);
  for (int i = 0; i < 200'000; ++i) stream.call(0);
  recorder->flush();
  State now = small_header().state;
  now.as_of_ns = stream.time;
  REQUIRE(recorder->save(now));
  REQUIRE(saved.size() == 1);
  write_content(folder.file("log"), saved[0]);
  auto reader = *LogReader::open(folder.file("log"));
  CHECK(reader.begin_ns() > kSceneStart);
  CHECK(reader.begin_ns() <= stream.time - 50'000'000);
  CHECK(reader.end_ns() == stream.time);
  const Read read = read_all(reader);
  CHECK(read.damage.empty());
  CHECK(read.events < 400'000);
  CHECK(read.events > 0);
  for (int i = 0; i < 1000; ++i) stream.call(0);
  recorder->flush();
  REQUIRE(recorder->save(now));  // again, with what came since
  CHECK(saved[1] != saved[0]);
  recorder->finish(end_state(stream.time));
  REQUIRE(recorder->save(end_state(stream.time)));  // when all is over, too
  write_content(folder.file("log"), saved[2]);
  CHECK(read_log(folder.file("log"))->state.ended);
}

TEST_CASE("recorder: the file is no symlink's target and no device") {
  const TemporaryFolder folder;
  write_content(folder.file("precious"), "precious");
  REQUIRE(::symlink(folder.file("precious").c_str(), folder.file("log").c_str()) == 0);
  open(folder.file("log"))->finish(end_state(kSceneStart));
  CHECK(content_of(folder.file("precious")) == "precious");
  CHECK(read_log(folder.file("log")));
  for (const std::string& path : {std::string("/dev/null"), folder.file("no/such")}) {
    Recorder::Options options;
    options.path = path;
    CHECK(Recorder::open(std::move(options)).error().code == Exit::kCantCreate);
  }
}
