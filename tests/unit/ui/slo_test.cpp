// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/slo.h"

#include <doctest/doctest.h>

#include "stage.h"
#include "ui/frame/app.h"
#include "ui/model/trace_links.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr uint64_t kMs = 1'000'000, kSecond = 1'000'000'000;

// A file host whose FileEncrypter, held to 5 ms in one operation and 50 ms in the other, missed
// that 13 times, once by a call that runs.
snapshot::View slow() {
  snapshot::View view = file_host();
  auto& component = view.snapshot->components[6];
  component.figures.slo = {std::nullopt, 12, 1, 1};
  component.operations[0].figures.slo = {5 * kMs, 12, 1, 1};
  component.operations[1].figures.slo = {50 * kMs, 0, 0, 0};
  view.snapshot->components[7].figures.slo = {9 * kMs, 0, 0, 0};
  view.snapshot->slo = {12, 1, 40, {}, 11, {"fh::FSWriter::count"}};
  const uint64_t start = view.run.start_ns;
  const auto& name = component.operations[0].name;
  view.snapshot->slo->newest = {{"FileEncrypter", name, 4711, 4713, start + 21'900 * kMs, 100 * kMs,
                                 5 * kMs, 88, 1, snapshot::Ending::kOpen},
                                {"FileEncrypter", name, 4711, 4713, start + 19'000 * kMs, 30 * kMs,
                                 5 * kMs, 87, 2, snapshot::Ending::kLossy}};
  view.strip->violations = {{6, 190, 1}, {6, 191, 2}, {6, 60, 3}};
  return view;
}

struct SloStage : Stage {
  explicit SloStage(const char* view, snapshot::View answer = slow(), float height = 1200)
      : Stage(1280, height) {
    REQUIRE(app.show_view(view));
    model.selection.component = "FileEncrypter";
    feed(*this, std::move(answer));
  }
};

}  // namespace

TEST_CASE("slo: objectives are told in words, with what is open or unsure") {
  const snapshot::View view = slow();
  const auto& all = view.snapshot->components;
  CHECK(objective_text(all[6]) == "5.00 ms to 50.0 ms");
  CHECK(objective_text(all[7]) == "9.00 ms");
  CHECK(objective_text(all[0]).empty());
  CHECK(missed_text(all[6]) ==
        "13 executions missed the objective of 5.00 ms to 50.0 ms, 1 of them still running, the "
        "ends of 1 were not seen");
  CHECK(missed_text(all[7]).empty());
}

TEST_CASE("slo: the table has a column for it only where the spec has objectives") {
  SloStage stage("Table");
  CHECK(stage.shows("missed"));
  CHECK(stage.shows("–"));
  Stage plain(1400, 1200);
  REQUIRE(plain.app.show_view("Table"));
  feed(plain);
  CHECK_FALSE(plain.shows("missed"));
}

TEST_CASE("slo: details have the objective, what missed it, and a warning about unseen ends") {
  SloStage stage("Table");
  for (const char* text :
       {"5.00 ms to 50.0 ms", "13, 1 running", "objective missed", "21.900 s open", "+95.0 ms",
        "19.000 s lossy", "+25.0 ms", "and 11 more in this window",
        "The ends of 1 that missed it were not seen."})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("slo: a click on one that missed its objective shows it on the time line") {
  SloStage stage("Table");
  const ImVec2 line = stage.find("19.000 s");
  stage.click(line.x, line.y);
  const auto& pick = stage.model.selection.execution;
  REQUIRE(pick);
  CHECK(pick->execution.trace_id == 87);
  CHECK(pick->component == "FileEncrypter");
  CHECK(stage.model.settings.view == ViewId::kTiming);
  CHECK_FALSE(stage.model.window.live);
  const uint64_t start = stage.model.run.start_ns;
  CHECK(stage.model.window.start_ns < start + 19 * kSecond);
  CHECK(stage.model.window.end_ns > start + 19 * kSecond + 30 * kMs);
  CHECK(stage.model.window.end_ns - stage.model.window.start_ns == 5 * kSecond);
}

TEST_CASE("slo: one that takes longer than the window gets a window that holds it") {
  Model model;
  model.run = {kSecond, 100 * kSecond, true, false, 0, 0};
  snapshot::Violation violation;
  violation.start_ns = 20 * kSecond;
  violation.raw_ns = 30 * kSecond;
  show_violation(model, violation);
  CHECK(model.window.start_ns < 20 * kSecond);
  CHECK(model.window.end_ns > 50 * kSecond);
}

TEST_CASE("slo: the status bar counts, says what is not held, and a click selects") {
  SloStage stage("Table");
  CHECK(stage.shows("missed 41"));
  CHECK(stage.shows("1 not held to objectives"));
  stage.model.selection = {};
  const ImVec2 item = stage.find("missed 41");
  stage.click(item.x, item.y);
  CHECK(stage.model.selection.component == "FileEncrypter");
  snapshot::View kept = file_host();
  kept.snapshot->slo.emplace();
  SloStage good("Table", std::move(kept));
  CHECK(good.shows("objectives kept"));
}

TEST_CASE("slo: the map marks the component with the number, and tells more when pointed at") {
  Stage stage(1400, 900);
  REQUIRE(stage.app.show_view("Map"));
  feed(stage);
  stage.model.selection = {};
  stage.arrange();
  CHECK_FALSE(stage.shows("7.78M"));
  snapshot::View view = slow();
  view.snapshot->components[6].figures.slo->violations = 7'776'999;
  feed(stage, std::move(view));
  CHECK(stage.shows("7.78M"));
  const ImVec2 box = stage.find("FileEncrypter");
  stage.move(box.x, box.y);
  stage.settle();
  CHECK(stage.shows("7,777,000 executions missed the objective of 5.00 ms to 50.0 ms"));
}

TEST_CASE("slo: the time scale marks when, and tells whose when pointed at") {
  SloStage stage("Table", slow(), 800);
  const int with = ImGui::GetDrawData()->TotalVtxCount;
  const ImVec2 a = stage.find("4s"), b = stage.find("14s");
  const float per_s = (b.x - a.x) / 10;
  stage.move(a.x + 2.03f * per_s, a.y - 60);  // column 60 begins at 6 s
  stage.settle();
  CHECK(stage.shows("3 missed the objective of FileEncrypter"));
  stage.move(1, 1);
  snapshot::View without = slow();
  without.strip->violations.clear();
  feed(stage, std::move(without));
  CHECK(ImGui::GetDrawData()->TotalVtxCount < with);
}

TEST_CASE("slo: timing edges the part above the objective and names it") {
  snapshot::View view = file_host(3);
  view.strip.reset();
  auto& all = view.executions.emplace();
  all.start_ns = view.snapshot->window_start_ns, all.end_ns = view.snapshot->window_end_ns;
  for (const auto& component : view.snapshot->components)
    all.operations.push_back({component.name, "fh::" + component.name + "::accept(int)"});
  snapshot::ExecutionsView::Execution e;
  e.operation = 1;
  e.pid = 4711, e.tid = 4713, e.trace_id = 88;
  e.start_ns = view.run.start_ns + 17'200 * kMs;
  e.end_ns = view.run.start_ns + 21'800 * kMs;
  e.closed = snapshot::Ending::kReturned;
  all.executions = {e};
  view.snapshot->slo.emplace();
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Timing"));
  feed(stage, view);
  CHECK(stage.shows("above its objective"));
  const int within = ImGui::GetDrawData()->TotalVtxCount;
  view.executions->operations[1].objective_ns = 1000 * kMs;
  feed(stage, view);
  CHECK(ImGui::GetDrawData()->TotalVtxCount > within);
  const ImVec2 header = stage.find("AccessControl");
  stage.click(header.x, 400);
  CHECK(stage.shows("1.00 s, missed by 3.60 s"));
}
