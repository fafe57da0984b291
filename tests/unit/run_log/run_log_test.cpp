// SPDX-License-Identifier: Apache-2.0
#include "run_log/run_log.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>

#include <filesystem>
#include <vector>

#include "recording/log_reader.h"

using namespace compmond;
using record::Event;
using record::EventKind;

namespace {

constexpr uint64_t kStart = 1'000'000'000;
constexpr uint64_t kSecond = 1'000'000'000;

struct Folder {
  Folder() {
    std::string name = std::filesystem::temp_directory_path() / "compmond-run-log-XXXXXX";
    path = ::mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::filesystem::path path;
};

recording::Header header() {
  recording::Header out;
  out.version = "test";
  out.run = "0123456789abcdef";
  out.spec_name = "small";
  out.components = {{"A", -1}};
  recording::Operation op;
  op.name = op.symbol = "fa";
  op.interface = "in";
  op.exit_mode = "return-probe";
  op.site = "push";
  out.operations = {op};
  out.engines = {{"uprobe", "session", true}};
  out.history_bytes = 1u << 20;
  out.start_ns = out.begin_ns = kStart;
  return out;
}

// A run of one operation that notes how often it was asked how it is.
struct Noting {
  explicit Noting(const run::RunLog::Options& options) : log(*run::RunLog::open(options)) {
    const auto started = log.begin(header(), [this](const recording::Header& began) {
      CHECK(began.spec_name == "small");
      recording::State out;
      out.notes = {fmt::format("asked {} times", ++asked)};
      return out;
    });
    REQUIRE(started);
  }
  void call(uint64_t time_ns) {
    if (!begun) log.recorder()->on_thread(0, {100, 100, 5, "worker"});
    begun = true;
    std::vector<Event> events(2);
    events[0].time_ns = time_ns;
    events[0].sp = events[1].sp = 0x7000;
    events[1].time_ns = time_ns + 10;
    events[1].kind = EventKind::kExit;
    log.recorder()->on_events(0, events);
  }

  run::RunLog log;
  int asked = 0;
  bool begun = false;
};

record::Ledger ledger(uint64_t hits) {
  record::Ledger out;
  out.hits = out.delivered = hits;
  return out;
}

}  // namespace

TEST_CASE("run log: without a path nothing is recorded, and there is nothing to save") {
  auto log = run::RunLog::open({});
  REQUIRE(log);
  log->begin(header(), [](const recording::Header&) -> recording::State {
    FAIL("asked");
    return {};
  });
  CHECK(log->recorder() == nullptr);
  log->serve(100 * kSecond);
  log->end({}, 200 * kSecond);
  CHECK(log->notes().empty());
  const auto saved = log->save({}, 1);
  REQUIRE(!saved);
  CHECK(saved.error().code == Exit::kUsage);
}

TEST_CASE("run log: a log that cannot be created is an error before the run begins") {
  const Folder folder;
  CHECK(!run::RunLog::open({folder.path / "none" / "log", 0, 0}));
}

TEST_CASE("run log: an ended run's log has its last state, its end and its accounts") {
  const Folder folder;
  Noting run({folder.path / "log", 0, 0});
  run.call(kStart + 1000);
  run.log.end(ledger(2), kStart + 5 * kSecond);
  CHECK(run.log.notes().empty());
  const auto reader = recording::LogReader::open(folder.path / "log");
  REQUIRE(reader);
  CHECK(reader->header().state.as_of_ns == kStart);
  CHECK(reader->header().state.notes == std::vector<std::string>{"asked 1 times"});
  const recording::State& last = reader->last_state();
  CHECK(last.ended);
  CHECK(last.as_of_ns == kStart + 5 * kSecond);
  CHECK(last.capture.hits == 2);
  CHECK(last.events == 2);
  CHECK(last.notes == std::vector<std::string>{"asked 2 times"});
}

TEST_CASE("run log: where nothing more can be written that is told at the end, with what is kept") {
  const Folder folder;
  struct sigaction ignore {
  }, before{};
  ignore.sa_handler = SIG_IGN;
  ::sigaction(SIGXFSZ, &ignore, &before);
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  Noting run({folder.path / "log", 0, 0});
  run.call(kStart + 1000);
  run.log.recorder()->flush();
  const rlimit full{std::filesystem::file_size(folder.path / "log") + 200, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &full);
  for (uint64_t i = 1; i < 20'000; ++i) run.call(kStart + 1000 + i * 1'000'003);
  run.log.end(ledger(40'000), kStart + 50 * kSecond);
  ::setrlimit(RLIMIT_FSIZE, &limit);
  ::sigaction(SIGXFSZ, &before, nullptr);
  const auto failure = run.log.failure();
  REQUIRE(failure);
  CHECK(failure->code == Exit::kCantCreate);
  CHECK(failure->what.find("is not whole") != std::string::npos);
  CHECK(failure->why.find(" of 40000 events") != std::string::npos);
}

TEST_CASE("run log: a log that is whole is no failure") {
  const Folder folder;
  Noting run({folder.path / "log", 0, 0});
  run.call(kStart + 1000);
  run.log.end(ledger(2), kStart + 5 * kSecond);
  CHECK_FALSE(run.log.failure());
}

TEST_CASE("run log: a killed run's log knows the run as of two seconds before at most") {
  const Folder folder;
  {
    Noting run({folder.path / "log", 0, 0});
    run.log.serve(kStart + 3 * kSecond);
    run.log.serve(kStart + 5 * kSecond - 1);  // too early
    CHECK(run.asked == 2);
    run.call(kStart + 4 * kSecond);
    run.log.serve(kStart + 5 * kSecond);
    CHECK(run.asked == 3);
  }
  const auto reader = recording::LogReader::open(folder.path / "log");
  REQUIRE(reader);
  CHECK_FALSE(reader->last_state().ended);
  CHECK(reader->last_state().as_of_ns == kStart + 5 * kSecond);
}

TEST_CASE("run log: the flight recorder saves the newest seconds, while it runs and afterwards") {
  const Folder folder;
  Noting run({folder.path / "log", 0, 2});
  CHECK(run.log.keeps_newest());
  for (uint64_t s = 0; s < 10; ++s) run.call(kStart + s * kSecond);
  REQUIRE(run.log.save(ledger(20), kStart + 10 * kSecond));
  {
    const auto reader = recording::LogReader::open(folder.path / "log");
    REQUIRE(reader);
    CHECK_FALSE(reader->last_state().ended);
    CHECK(reader->last_state().as_of_ns == kStart + 10 * kSecond);
    CHECK(reader->last_state().capture.hits == 20);
  }
  run.log.end(ledger(20), kStart + 11 * kSecond);
  REQUIRE(run.log.save(ledger(20), kStart + 12 * kSecond));
  const auto reader = recording::LogReader::open(folder.path / "log");
  REQUIRE(reader);
  CHECK(reader->last_state().ended);
  CHECK(reader->last_state().as_of_ns == kStart + 11 * kSecond);
}
