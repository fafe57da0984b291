// SPDX-License-Identifier: Apache-2.0
#include <GLFW/glfw3.h>
#include <doctest/doctest.h>

#include "trace_samples.h"
#include "ui/link/pace.h"
#include "ui/model/trace_links.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

using snapshot::AnalysisView;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kStart = kRunStart;

snapshot::View with(AnalysisView analysis) {
  snapshot::View view = file_host();
  view.strip.reset();  // its labels are the same names
  view.analysis = std::move(analysis);
  return view;
}

const snapshot::AnalysisRequest& asked(const Stage& stage) {
  static snapshot::AnalysisRequest last;
  const auto request = stage.app.request();
  REQUIRE(request.analysis);
  return last = *request.analysis;
}

void show(Stage& stage, const char* view, AnalysisView analysis) {
  REQUIRE(stage.app.show_view(view));
  stage.settle();
  feed(stage, with(std::move(analysis)));
}

void double_click(Stage& stage, ImVec2 at) {
  stage.move(at.x, at.y);
  for (int i = 0; i < 2; ++i) {
    stage.press();
    stage.release();
  }
  stage.settle();
}

}  // namespace

TEST_CASE("traces: they are listed with their figures, and what is not is said") {
  Stage stage(1280, 800);
  AnalysisView view = trace_list();
  view.left_out = 1234;
  view.broken = 7;
  view.unfinished = 3;
  view.partial = true;
  view.analysed_since_ns = kStart + 18'000 * kMs;
  show(stage, "Traces", view);
  for (const char* text : {"HTTPServer accept", "4.60 ms", "2.30 ms", "20.000 s", "did not return",
                           "2 traces", "12 executions", "1,234 not listed", "7 not whole",
                           "3 still running", "only from 18.00 s on"})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("traces: search, length, component and order are asked of the daemon") {
  Stage stage(1280, 800);
  show(stage, "Traces", trace_list());
  CHECK(asked(stage).report == snapshot::Report::kTraces);
  CHECK(asked(stage).sort == snapshot::Sort::kStart);
  CHECK_FALSE(asked(stage).ascending);
  stage.model.traces = {"read", "FileReader", "fh::FileReader::next()", 3, 5000};
  const auto request = asked(stage);
  CHECK(request.search == "read");
  CHECK(request.component == "FileReader");
  CHECK(request.operation == "fh::FileReader::next()");
  CHECK(request.class_number == 3);
  CHECK(request.min_duration_ns == 5000);
  stage.settle();
  ImVec2 at = stage.find("duration");
  stage.click(at.x, at.y);
  CHECK(asked(stage).sort == snapshot::Sort::kDuration);
  CHECK_FALSE(asked(stage).ascending);
  stage.click(at.x, at.y);
  CHECK(asked(stage).ascending);
  at = stage.find("class 3");
  stage.click(at.x, at.y);
  CHECK_FALSE(asked(stage).class_number);
}

TEST_CASE("traces: typing into the search does nothing else") {
  Stage stage(1280, 800);
  show(stage, "Traces", trace_list());
  const ImVec2 at = stage.find("operation or component");
  stage.click(at.x, at.y);
  ImGui::GetIO().AddInputCharacter('h');
  stage.app.character('h');
  stage.settle();
  CHECK(asked(stage).search == "h");
  CHECK(std::string(stage.app.kind().label()) == "Traces");
}

TEST_CASE("traces: classes come with their sizes, and lead to their traces") {
  Stage stage(1280, 800);
  show(stage, "Traces", trace_list());
  const ImVec2 chip = stage.find("classes");
  stage.click(chip.x, chip.y);
  CHECK(asked(stage).report == snapshot::Report::kClasses);
  AnalysisView view = about(snapshot::Report::kClasses);
  view.as<snapshot::Classes>()->rows = {{3, 128, 0, 6, 1, 88, 2 * kMs, 3 * kMs, 9 * kMs},
                                        {5, 2, 1, 1, 0, 90, kMs, kMs, kMs}};
  feed(stage, with(view));
  for (const char* text : {"2 classes", "128", "3.00 ms", "9.00 ms", "FileReader next"})
    CHECK_MESSAGE(stage.shows(text), text);
  stage.app.key(GLFW_KEY_DOWN, false, false);
  stage.settle();
  CHECK(stage.model.chosen.class_number == 3);
  const ImVec2 link = stage.find("its traces");
  stage.click(link.x, link.y);
  CHECK(stage.model.traces.class_number == 3);
  CHECK(asked(stage).report == snapshot::Report::kTraces);
}

TEST_CASE("traces: a double click, or arrows and Enter, show the sequence of a trace") {
  Stage stage(1280, 800);
  show(stage, "Traces", trace_list());
  double_click(stage, stage.find("2.30 ms"));
  CHECK(std::string(stage.app.kind().label()) == "Sequence");
  CHECK(stage.model.chosen.trace == 87);
  CHECK(asked(stage).trace == 87);
  stage.app.show_view("Traces");
  stage.model.chosen = {};
  stage.settle();
  stage.app.key(GLFW_KEY_DOWN, false, false);
  CHECK(stage.model.chosen.trace == 88);
  stage.app.key(GLFW_KEY_ENTER, false, false);
  stage.settle();
  CHECK(std::string(stage.app.kind().label()) == "Sequence");
}

TEST_CASE("traces: while the list is pointed at, rows stay where they are") {
  Stage stage(1280, 800);
  show(stage, "Traces", trace_list());
  const ImVec2 at = stage.find("4.60 ms");
  feed(stage, with(trace_list()));
  stage.move(at.x, at.y);
  AnalysisView other = trace_list();
  other.as<snapshot::Traces>()->rows = {row(99, 21, 7.7)};
  feed(stage, with(other));
  CHECK(stage.shows("4.60 ms"));
  stage.move(5, 5);
  feed(stage, with(other));
  CHECK(stage.shows("7.70 ms"));
}

TEST_CASE("traces: where probes were away it is said of the list and of one trace") {
  const std::string missing = "calls are missing: all probes were there 6 % of the time";
  const auto check = [&](const char* view, AnalysisView analysis) {
    Stage stage(1280, 800);
    show(stage, view, analysis);
    CHECK_MESSAGE(!stage.shows("calls are missing"), view);
    analysis.observed_share = 0.06;
    feed(stage, with(std::move(analysis)));
    CHECK_MESSAGE(stage.shows(missing), view);
  };
  check("Traces", trace_list());
  check("Sequence", one_trace());
  check("Trace timing", one_trace());
}

TEST_CASE("sequence: without a choice the newest trace is asked for, a chosen one only once") {
  Stage stage(1280, 800);
  show(stage, "Sequence", one_trace());
  CHECK(asked(stage).report == snapshot::Report::kTrace);
  CHECK_FALSE(asked(stage).trace);
  stage.model.chosen.trace = 88;
  stage.settle();
  CHECK_FALSE(stage.app.request().analysis);
  stage.model.chosen.trace = 89;
  CHECK(asked(stage).trace == 89);
  stage.settle();
  CHECK(stage.shows("Waiting for the trace"));
  feed(stage, with(about(snapshot::Report::kTrace)));
  CHECK(stage.shows("Trace 89 is no longer kept."));
  AnalysisView running = about(snapshot::Report::kTrace);
  running.unfinished = 1;
  feed(stage, with(running));
  CHECK(stage.shows("Trace 89 is still running."));
}

TEST_CASE("sequence: R goes to the list, in which the trace that was shown is marked") {
  Stage stage(1280, 800);
  show(stage, "Sequence", one_trace());
  stage.app.key(GLFW_KEY_R, false, false);
  stage.app.character('r');
  stage.settle();
  CHECK(std::string(stage.app.kind().label()) == "Traces");
  CHECK(stage.model.chosen.trace == 88);
}

TEST_CASE("sequence: of a selected component the newest trace with a call of it") {
  Stage stage(1280, 800);
  show(stage, "Sequence", one_trace());
  CHECK(asked(stage).component.empty());
  stage.model.selection.component = "FileReader";
  CHECK(asked(stage).component == "FileReader");
  stage.settle();
  CHECK(stage.shows("4.60 ms"));  // what was shown stays until another trace is there
  CHECK_FALSE(stage.shows("newest with"));
  for (int i = 0; i < 2; ++i) feed(stage, with(one_trace()));
  CHECK(stage.shows("newest with FileReader"));
  for (int i = 0; i < 2; ++i) feed(stage, with(about(snapshot::Report::kTrace)));
  CHECK(stage.shows("No trace that has ended in this window has a call of FileReader."));
  stage.model.traces.component = "HTTPServer";  // what is listed counts more
  CHECK(asked(stage).component == "HTTPServer");
  stage.model.traces = {};
  stage.model.chosen.trace = 88;
  CHECK(asked(stage).component.empty());
}

TEST_CASE("sequence: in a window that stands still, a selection within the trace leaves it there") {
  Stage stage(1280, 800);
  AnalysisView trace = one_trace();
  show(stage, "Sequence", trace);
  set_window(stage.model, stage.model.run.now_ns - 2'000'000'000, stage.model.run.now_ns);
  trace.start_ns = stage.model.window.start_ns;
  trace.end_ns = stage.model.window.end_ns;
  stage.model.selection.component = "FileReader";
  stage.settle();
  for (int i = 0; i < 2; ++i) feed(stage, with(trace));
  stage.model.selection.component = "HTTPServer";
  CHECK(asked(stage).component == "FileReader");
  stage.model.selection = {};
  CHECK(asked(stage).component == "FileReader");
  stage.model.selection.component = "FSWriter";  // is not in it
  CHECK(asked(stage).component == "FSWriter");
  shift_window(stage.model, 1e6);
  stage.model.selection.component = "HTTPServer";
  CHECK(asked(stage).component == "HTTPServer");
}

TEST_CASE("sequence: lifelines, calls with their times, and repeated calls as a loop") {
  Stage stage(1280, 800);
  show(stage, "Sequence", one_trace());
  for (const char* text : {"HTTPServer", "FileReader", "accept", "4.60 ms", "+700 µs",
                           "5 times · 2.50 ms together", "4 executions repeat others"})
    CHECK_MESSAGE(stage.shows(text), std::string(text) << " in " << stage.text());
  const ImVec2 fold = stage.find("fold");
  stage.click(fold.x, fold.y);
  CHECK_FALSE(stage.shows("5 times"));
  CHECK(stage.shows("+2.80 ms"));
}

TEST_CASE("sequence: a click picks a step, a double click or Enter shows it on the timeline") {
  Stage stage(1280, 800);
  show(stage, "Sequence", one_trace());
  const ImVec2 at = stage.find("next");
  stage.click(at.x, at.y + 8);  // on its arrow
  REQUIRE(stage.model.selection.execution);
  CHECK(stage.model.selection.component == "FileReader");
  CHECK(stage.model.chosen.trace == 88);
  stage.app.key(GLFW_KEY_ENTER, false, false);
  stage.settle();
  CHECK(std::string(stage.app.kind().label()) == "Timing");
  CHECK_FALSE(stage.model.window.live);
  const uint64_t step = one_trace().as<snapshot::OneTrace>()->steps[1].start_ns;
  CHECK(stage.model.window.start_ns < step);
  CHECK(stage.model.window.start_ns + kMs > step);
  CHECK(stage.model.window.end_ns > step + 500'000);
  CHECK(stage.model.selection.execution->execution.eoi == 1);
}

TEST_CASE("trace timing: a row per operation, exact numbers on hover, zoom by the wheel") {
  Stage stage(1280, 800);
  show(stage, "Trace timing", one_trace());
  for (const char* text : {"accept", "next", "FileReader", "in the trace", "2.00 ms"})
    CHECK_MESSAGE(stage.shows(text), text);
  const ImVec2 name = stage.find("next");
  const float x = name.x + 250;
  for (float at = x; at < x + 400 && !stage.shows("eoi"); at += 6) stage.move(at, name.y + 8);
  CHECK(stage.shows("raw 500 µs, real 500 µs"));
  const auto at = ImGui::GetIO().MousePos;
  stage.wheel(12);
  stage.settle();
  CHECK_FALSE(stage.shows("4.00 ms"));
  stage.click(at.x, at.y);
  REQUIRE(stage.model.selection.execution);
  CHECK(stage.model.selection.operation == "fh::FileReader::next()");
}

TEST_CASE("trace views: a component leads to its traces") {
  Stage stage(1280, 800);
  feed(stage);
  stage.model.selection.component = "FileReader";
  stage.settle();
  stage.app.character('r');
  stage.settle();
  CHECK(std::string(stage.app.kind().label()) == "Traces");
  CHECK(stage.model.traces.component == "FileReader");
  CHECK(asked(stage).component == "FileReader");
}

TEST_CASE(
    "trace views: they are drawn on narrow screens, in both themes, and when there is nothing") {
  for (const bool dark : {true, false})
    for (const auto& [width, height] : {std::pair(800.f, 600.f), std::pair(1280.f, 800.f)})
      for (const char* view : {"Traces", "Sequence", "Trace timing"}) {
        INFO(view << " " << width);
        Stage stage(width, height, dark);
        REQUIRE(stage.app.show_view(view));
        stage.settle();
        feed(stage);  // no analysis yet
        CHECK(stage.shows("Waiting for the trace"));
        feed(stage, with(std::string(view) == "Traces" ? about(snapshot::Report::kTraces)
                                                       : about(snapshot::Report::kTrace)));
        CHECK(stage.shows("No trace has ended in this window."));
        feed(stage, with(std::string(view) == "Traces" ? trace_list() : one_trace()));
        CHECK(stage.shows("4.60 ms"));
      }
}

TEST_CASE("trace views: an answer whose numbers refer to nothing is not taken in") {
  Stage stage(1280, 800);
  AnalysisView bad = one_trace();
  bad.as<snapshot::OneTrace>()->steps[2].caller = 2;
  show(stage, "Sequence", bad);
  CHECK_FALSE(stage.model.analysis);
  bad = one_trace();
  bad.as<snapshot::OneTrace>()->steps[2].operation = 9;
  feed(stage, with(bad));
  CHECK_FALSE(stage.model.analysis);
}

TEST_CASE("tabs: what finds no room is in a menu, the current one never") {
  Stage stage(800, 600);
  feed(stage);
  stage.settle();
  REQUIRE(stage.app.show_view("Health"));
  stage.settle();
  CHECK(stage.shows("Health"));
  CHECK(stage.shows("Map"));
}

TEST_CASE("pace: an analysis is asked for once a second, at once when it is another one") {
  Model model;
  take(model, file_host());
  snapshot::ViewRequest request;
  request.analysis.emplace().report = snapshot::Report::kTraces;
  Pace pace;
  CHECK(pace.trimmed(request, 10, 0).analysis);
  pace.asked(request, 0);
  pace.answered(0.001);
  CHECK_FALSE(pace.due(model, request, 0.03));
  CHECK_FALSE(pace.trimmed(request, 10, 0.5).analysis);
  pace.asked(pace.trimmed(request, 10, 0.5), 0.5);
  CHECK_FALSE(pace.due(model, request, 0.53));
  CHECK(pace.trimmed(request, 10, 1.1).analysis);
  request.analysis->sort = snapshot::Sort::kDuration;
  CHECK(pace.due(model, request, 0.53));
  CHECK(pace.trimmed(request, 10, 0.53).analysis);
}
