// SPDX-License-Identifier: Apache-2.0
// What is done with any run, live or replayed: a made-up one in their place.
#include "front/front.h"

#include <doctest/doctest.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>

#include "front/shown.h"

using namespace compmond;

namespace {

// Notes what is asked of it.
class MadeUpRun : public front::Run {
 public:
  std::function<void()> on_service = [] {};
  int serviced = 0, stopped = 0;
  bool is_over = false;
  std::vector<int> serviced_before;  // each snapshot
  std::optional<std::string> missed;
  bool asked_when_stopped = false;
  snapshot::TimeWindow asked_window;

  const std::string& spec_name() const override { return name_; }
  bool is_replay() const override { return false; }
  bool may_be_suspended() const override { return false; }
  void service() override {
    ++serviced;
    on_service();
  }
  uint64_t service_ns() const override { return 0; }
  const Fd& wake_fd() const override { return nothing_; }
  void stop() override { ++stopped; }
  bool ended() const override { return is_over; }
  void compare_with(const snapshot::Snapshot&) override {}
  snapshot::Snapshot snapshot(double, const std::string& metric,
                              const snapshot::HeatWish&) override {
    serviced_before.push_back(serviced);
    snapshot::Snapshot out;
    out.spec_name = name_;
    out.metric = metric;
    out.window_start_ns = 100;
    out.window_end_ns = 200;
    return out;
  }
  Result<snapshot::View> view(const snapshot::ViewRequest& request) override {
    snapshot::View out;
    if (!request.analysis) return out;
    asked_when_stopped = stopped > 0;
    asked_window = request.window;
    out.analysis.emplace().report = request.analysis->report;
    auto& inside = out.analysis->content.emplace<snapshot::Inside>();
    inside.functions = {{"f", "/p", 1, snapshot::Whose::kOwn, {}, {}}};
    inside.callees = {{-1, -1, 0, 0, 5, 0, 1}, {0, 0, 5, 0, 5, 0, 1}};
    return out;
  }
  Result<snapshot::AnalysisRequest> inside_of(const std::string& name) const override {
    if (name != "Worker") return fail(Exit::kData, "cannot look inside", "no " + name);
    snapshot::AnalysisRequest out;
    out.report = snapshot::Report::kInside;
    return out;
  }
  const std::optional<std::string>& missed_objective() const override { return missed; }
  std::vector<std::string> last_words() const override { return {}; }
  Result<std::string> save_recording() override { return std::string("saved"); }
  std::optional<Result<std::string>> toggle_probes() override { return std::nullopt; }
  Result<std::string> control(const snapshot::ControlRequest&) override {
    return std::string("moved");
  }

 private:
  std::string name_ = "made up";
  const Fd nothing_;
};

std::string content_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Shows a run, with its last snapshot in a file.
struct Shown {
  Shown() {
    std::string name = std::filesystem::temp_directory_path() / "compmond-front-XXXXXX";
    folder = ::mkdtemp(name.data());
    options.serve.headless = true;
    options.always_serve = false;
    options.snapshot_path = folder / "snapshot.json";
  }
  ~Shown() { std::filesystem::remove_all(folder); }

  void drive() {
    const auto front = front::Front::open(options);
    REQUIRE(front);
    REQUIRE((*front)->show(run));
    CHECK((*front)->drive());
  }
  std::string written() const { return content_of(options.snapshot_path); }

  std::filesystem::path folder;
  front::Options options;
  MadeUpRun run;
};

// The first process that this one started; 0: none.
pid_t first_child() {
  pid_t out = 0;
  const std::string self = std::to_string(::getpid());
  std::ifstream("/proc/self/task/" + self + "/children") >> out;
  return out;
}

}  // namespace

TEST_CASE("front: a run is looked after until it has ended, then stopped, shown, and written") {
  Shown shown;
  shown.options.metric = "mean";
  shown.run.on_service = [&] { shown.run.is_over = shown.run.serviced == 5; };
  shown.drive();
  CHECK(shown.run.serviced == 5);
  CHECK(shown.run.stopped == 1);
  CHECK(shown.run.serviced_before == std::vector<int>{5});  // once, for summary and file
  CHECK(shown.written().find("\"mean\"") != std::string::npos);
}

TEST_CASE("front: the inside of a part is told when the run has ended, also in files") {
  Shown shown;
  shown.run.is_over = true;
  shown.options.inside = {"Worker", shown.folder / "folded", shown.folder / "speedscope.json"};
  shown.drive();
  CHECK(shown.run.asked_when_stopped);
  CHECK(shown.run.asked_window == snapshot::TimeWindow{0, 100, 200});  // as the summary's
  CHECK(content_of(shown.folder / "folded") == "f 5\n");
  CHECK(content_of(shown.folder / "speedscope.json").find("Worker, on CPU") != std::string::npos);
}

TEST_CASE("front: a part that the run does not know is an error before it begins") {
  Shown shown;
  shown.options.inside.name = "Nobody";
  const auto front = front::Front::open(shown.options);
  REQUIRE(front);
  CHECK((*front)->show(shown.run).error().why == "no Nobody");
  shown.options.inside.folded_path = "-";
  CHECK(front::Front::open(shown.options).error().code == Exit::kUsage);
}

TEST_CASE("front: files that cannot be written are an error before it begins, old ones stay") {
  Shown shown;
  const auto code = [&] {
    const auto front = front::Front::open(shown.options);
    return front ? Exit::kOk : front.error().code;
  };
  std::ofstream(shown.options.snapshot_path) << "old";
  CHECK(code() == Exit::kOk);
  CHECK(shown.written() == "old");
  shown.options.inside = {"Worker", shown.folder / "nope" / "folded", ""};
  CHECK(code() == Exit::kCantCreate);
  shown.options.inside = {"Worker", "", shown.folder / "nope" / "speedscope.json"};
  CHECK(code() == Exit::kCantCreate);
  shown.options.inside = {};
  shown.options.snapshot_path = shown.folder;
  CHECK(code() == Exit::kCantCreate);
}

TEST_CASE("front: what is to be shown needs calls, or samples") {
  front::Options options;
  const auto fine = [&](bool calls, bool samples) {
    return bool(front::check_shown(options, calls, samples));
  };
  CHECK(fine(true, false));
  CHECK(fine(false, true));
  options.metric = "calls";
  CHECK(fine(true, false));
  CHECK_FALSE(fine(false, true));
  CHECK(front::check_shown(options, false, true).error().next ==
        "Choose overall, on-cpu, own-share or deviation.");
  options.metric = "on-cpu";
  CHECK(fine(false, true));
  CHECK_FALSE(fine(true, false));
  options.metric.clear();
  options.inside.name = "Worker";
  CHECK(fine(true, true));
  CHECK_FALSE(fine(true, false));
}

TEST_CASE("front: a missed objective ends a run that goes on") {
  Shown shown;
  shown.run.on_service = [&] { shown.run.missed = "it took too long"; };
  shown.drive();
  CHECK(shown.run.serviced == 1);
  CHECK(shown.run.stopped == 1);
}

TEST_CASE("front: a duration ends a run that goes on") {
  Shown shown;
  shown.options.duration_s = 1e-9;
  shown.drive();
  CHECK(shown.run.stopped == 1);
}

TEST_CASE("front: SIGUSR1 has the run looked after, writes its snapshot, and the run goes on") {
  Shown shown;
  shown.run.on_service = [&] {
    if (shown.run.serviced == 1) ::kill(::getpid(), SIGUSR1);
    shown.run.is_over = shown.run.serviced_before.size() == 1;
  };
  shown.drive();
  REQUIRE(shown.run.serviced_before.size() == 2);
  CHECK(shown.run.serviced_before[0] >= 2);
}

TEST_CASE("front: a disk that takes its time does not keep the run from being looked after") {
  Shown shown;
  pid_t writer = 0;
  shown.run.on_service = [&] {
    if (shown.run.serviced == 1) {
      writer = first_child();
      REQUIRE(writer > 0);
      ::kill(writer, SIGSTOP);
      ::kill(::getpid(), SIGUSR1);
    }
    if (shown.run.serviced == 10) ::kill(writer, SIGCONT);
    shown.run.is_over = shown.run.serviced >= 10;
  };
  shown.drive();
  CHECK(shown.run.serviced_before.size() == 2);
  CHECK(shown.run.serviced_before[0] < 10);
}

TEST_CASE("front: a replay that is to be kept stays at its end until a signal") {
  Shown shown;
  shown.options.serve.keep = shown.options.stay_with_keep = true;
  shown.run.is_over = true;
  shown.run.on_service = [&] {
    if (shown.run.serviced == 10) ::kill(::getpid(), SIGTERM);
  };
  shown.drive();
  CHECK(shown.run.serviced >= 10);
}
