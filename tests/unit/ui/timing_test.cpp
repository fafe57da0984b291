// SPDX-License-Identifier: Apache-2.0
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include "stage.h"
#include "ui/views/shared/operation_name.h"
#include "ui/views/timing/timing_frame.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

using Execution = snapshot::ExecutionsView::Execution;
constexpr uint64_t kMs = 1'000'000;

Execution execution(const snapshot::View& view, uint32_t operation, double from_s, double to_s,
                    uint32_t eoi, int64_t tid = 4713) {
  Execution e;
  e.operation = operation;
  e.pid = 4711, e.tid = tid;
  e.start_ns = view.run.start_ns + uint64_t(from_s * 1e9);
  e.end_ns = view.run.start_ns + uint64_t(to_s * 1e9);
  e.real_ns = (e.end_ns - e.start_ns) / 2;
  e.trace_id = 88, e.eoi = eoi, e.ess = eoi;
  e.caller = eoi > 0 ? 0 : -1;
  e.closed = snapshot::Ending::kReturned;
  return e;
}

// HTTPServer waits for AccessControl through most of the window, 17 to 22 s.
snapshot::View sample(size_t components = 3) {
  snapshot::View view = file_host(components);
  view.strip.reset();  // its labels are the same names
  auto& all = view.executions.emplace();
  all.start_ns = view.snapshot->window_start_ns, all.end_ns = view.snapshot->window_end_ns;
  for (const auto& component : view.snapshot->components)
    all.operations.push_back({component.name, "fh::" + component.name + "::accept(int)"});
  all.executions = {execution(view, 0, 17.2, 21.8, 0), execution(view, 1, 17.4, 21.6, 1)};
  return view;
}

void show(Stage& stage, snapshot::View view) {
  REQUIRE(stage.app.show_view("Timing"));
  feed(stage, std::move(view));
}

// Somewhere in the long bar of a component.
ImVec2 bar_of(const Stage& stage, const char* name) { return {stage.find(name).x, 400}; }

}  // namespace

TEST_CASE("timing: short operations keep what tells them apart") {
  CHECK(short_operation("fh::FileHandler::open(int, char const*)") == "open");
  CHECK(short_operation("std::vector<std::pair<int, int>>::push_back(int)") == "push_back");
  CHECK(short_operation("sqlite3_step") == "sqlite3_step");
  CHECK(short_operation("(anonymous namespace)::run()") == "run");
  CHECK(short_operation("operator<") == "operator<");
  CHECK(short_operation("fh::Pool::operator()(int)") == "operator()");
  CHECK(short_operation("") == "");
}

TEST_CASE("timing: it asks for the executions of the window, as many as there are pixels") {
  Stage stage(1280, 800);
  show(stage, sample());
  const auto request = stage.app.request();
  REQUIRE(request.executions);
  CHECK(request.executions->end_ns == 0);
  CHECK(request.executions->pixels > 300);
  CHECK(request.executions->pixels < 800);
}

TEST_CASE("timing: a header per component, ticks since the start, the slowest, and now") {
  Stage stage(1280, 800);
  show(stage, sample());
  for (const char* text : {"HTTPServer", "AccessControl", "UploadManager", "18 s", "now",
                           "Slowest in view", "HTTPServer accept", "4.60 s", "How to read this"})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("timing: a click on a bar pauses and shows the exact numbers") {
  Stage stage(1280, 800);
  show(stage, sample());
  const ImVec2 at = bar_of(stage, "AccessControl");
  stage.click(at.x, at.y);
  REQUIRE(stage.model.selection.execution);
  CHECK(stage.model.selection.component == "AccessControl");
  CHECK(stage.model.selection.execution->execution.eoi == 1);
  CHECK_FALSE(stage.model.window.live);
  for (const char* text : {"4.20 s", "2.10 s", "88, eoi 1, ess 1", "4713", "returned",
                           "fh::AccessControl::accept(int)", "HTTPServer accept"})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("timing: an execution whose events were lost says that its end is not exact") {
  Stage stage(1280, 800);
  snapshot::View view = sample();
  view.executions->executions[1].closed = snapshot::Ending::kLossy;
  show(stage, std::move(view));
  const ImVec2 at = bar_of(stage, "AccessControl");
  stage.click(at.x, at.y);
  CHECK(stage.shows("its end was not seen"));
}

TEST_CASE("timing: dragging moves the window into the past and pauses") {
  Stage stage(1280, 800);
  show(stage, sample());
  const Window before = stage.model.interval();
  stage.move(300, 300);
  stage.press();
  stage.move(300, 350);
  stage.move(300, 400);
  stage.release();
  CHECK_FALSE(stage.model.window.live);
  CHECK(stage.model.interval().start_ns + 100 * kMs < before.start_ns);
  CHECK(stage.model.interval().length() == before.length());
  CHECK_FALSE(stage.model.selection.execution);
}

TEST_CASE("timing: the wheel changes the window's length, around the pointer once paused") {
  Stage stage(1280, 800);
  show(stage, sample());
  stage.move(300, 300);
  stage.wheel(1);
  CHECK(stage.model.window.live);
  CHECK(stage.model.window.length_ns < 5'000 * kMs);
  pause(stage.model);
  const Window before = stage.model.interval();
  stage.wheel(1);
  const Window after = stage.model.interval();
  CHECK(after.length() < before.length());
  CHECK(after.start_ns > before.start_ns);
  CHECK(after.end_ns < before.end_ns);
}

TEST_CASE("timing: C shows calls, the chip says so") {
  Stage stage(1280, 800);
  show(stage, sample());
  const int without = ImGui::GetDrawData()->TotalVtxCount;
  stage.app.key(GLFW_KEY_C, false, false);
  stage.settle();
  CHECK(stage.model.settings.option("Timing/calls", 0) == 1);
  CHECK(ImGui::GetDrawData()->TotalVtxCount > without);
}

TEST_CASE("timing: a thread picked from the list is the only one shown") {
  Stage stage(1280, 800);
  snapshot::View view = sample();
  view.snapshot->threads = {{4711, 4713, "worker", 2, 1}, {4711, 4714, "other", 1, 1}};
  view.executions->executions.push_back(execution(view, 2, 17.2, 21.8, 0, 4714));
  show(stage, std::move(view));
  CHECK(stage.shows("UploadManager accept"));
  const ImVec2 chip = stage.find("all threads");
  stage.click(chip.x, chip.y);
  const ImVec2 line = stage.find("worker 4713");
  stage.click(line.x, line.y);
  snapshot::View again = sample();
  again.executions->executions.push_back(execution(again, 2, 17.2, 21.8, 0, 4714));
  feed(stage, std::move(again));
  CHECK(stage.shows("HTTPServer accept"));
  CHECK_FALSE(stage.shows("UploadManager accept"));
}

TEST_CASE("timing: no execution in view is said, and what was left out") {
  Stage stage(1280, 800);
  snapshot::View view = sample();
  view.executions->executions.clear();
  show(stage, std::move(view));
  CHECK(stage.shows("No execution in this part of time."));
  snapshot::View cut = sample();
  cut.executions->left_out = 812;
  cut.executions->partial = true;
  feed(stage, std::move(cut));
  CHECK(stage.shows("the 812 shortest executions are left out"));
  CHECK(stage.shows("no longer kept"));
}

TEST_CASE("timing: of many components those that do something have a lifeline") {
  Stage stage(1280, 800);
  show(stage, sample(1000));
  CHECK(stage.shows("998 components without executions left out"));
  CHECK(stage.shows("AccessControl"));
}

TEST_CASE("timing: of what is left out it is told where probes were away") {
  Stage stage(1280, 800);
  snapshot::View view = sample(1000);
  const uint64_t begin = view.executions->start_ns;
  for (const size_t i : {0, 7, 8, 8})  // the first one has executions
    view.executions->away.push_back({view.snapshot->components[i].name, begin, begin + 9});
  show(stage, view);
  CHECK(stage.shows("996 components without executions left out"));
  CHECK(stage.shows("2 components left out: no execution was seen, probes were away for a part"));
  view.executions->executions.clear();
  Stage empty(1280, 800);
  show(empty, std::move(view));
  CHECK(empty.shows("No execution was seen in this part of time: probes were away."));
}

TEST_CASE("timing: what samples tell of time without probes has lifelines, and is named as that") {
  Stage stage(1280, 800);
  snapshot::View view = sample(1000);
  auto& shown = *view.executions;
  const std::string& path = view.snapshot->components[7].name;
  shown.executions.clear();
  shown.away = {{path, shown.start_ns, shown.end_ns}};
  shown.sampled = {{path, {0, 300 * kMs, 1, 2'000 * kMs}}};
  show(stage, std::move(view));
  CHECK(stage.shows(path));
  CHECK(stage.shows("999 components without executions left out"));
  CHECK(stage.shows("shaded: probes were too dear and away"));
  CHECK(stage.shows("from samples: as wide as busy"));
  CHECK_FALSE(stage.shows("No execution"));
}

TEST_CASE("timing: hatching and what samples tell say what they are when pointed at") {
  Stage stage(1280, 800);
  snapshot::View view = sample(3);
  auto& shown = *view.executions;
  const std::string hatched = view.snapshot->components[1].name,
                    both = view.snapshot->components[2].name;
  shown.executions.clear();
  shown.away = {{hatched, shown.start_ns, shown.end_ns}, {both, shown.start_ns, shown.end_ns}};
  shown.sampled = {{both, {300 * kMs, 300 * kMs, 300 * kMs, 300 * kMs}}};
  show(stage, std::move(view));
  const auto point = [&](const std::string& name) {
    stage.move(bar_of(stage, name.c_str()).x, 400);
    stage.settle();
  };
  point(hatched);
  CHECK(stage.shows("probes away 17.00 s – 22.00 s"));
  CHECK(stage.shows("what was executed meanwhile is not known"));
  CHECK_FALSE(stage.shows("from samples: 3"));
  point(both);
  CHECK(stage.shows("from samples: 300 ms of these 1.25 s real, own time"));
  CHECK(stage.shows("probes away 17.00 s – 22.00 s"));
  CHECK(stage.shows("they know no single calls"));
}

TEST_CASE("timing: four thousand executions cost a bounded drawing") {
  Stage stage(1280, 800);
  snapshot::View view = sample(10);
  auto& all = view.executions->executions;
  for (uint32_t i = 0; i < 4000; ++i) {
    all.push_back(execution(view, i % 10, 17 + i / 800.0, 17.04 + i / 800.0, 0, 4720 + i % 16));
    all.back().trace_id = 1000 + i;
  }
  show(stage, std::move(view));
  CHECK(ImGui::GetDrawData()->TotalVtxCount < 200'000);
}

TEST_CASE(
    "timing: what was not asked for before the connection was lost is no time without calls") {
  Stage stage(1280, 800);
  snapshot::View view = sample();
  view.executions->end_ns -= 2'000'000'000;
  show(stage, std::move(view));
  CHECK_FALSE(stage.shows("not asked for"));
  stage.model.link = {Link::State::kLost, "x", "the daemon has ended"};
  stage.settle();
  CHECK(stage.shows("hatched: not asked for before the connection was lost"));
}
