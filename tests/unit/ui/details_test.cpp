// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "stage.h"
#include "ui/views/shared/ranked.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

struct DetailsStage : Stage {
  explicit DetailsStage(snapshot::View answer = with_details(), float height = 1400)
      : Stage(1280, height) {
    REQUIRE(app.show_view("Table"));
    model.selection.component = "FileEncrypter";
    feed(*this, std::move(answer));
  }
  void hover(const char* text) {
    const ImVec2 at = find(text);
    move(at.x, at.y);
    settle();
  }
  static snapshot::View with_details() {
    snapshot::View answer = file_host();
    auto& details = answer.details.emplace();
    details.component = "FileEncrypter";
    details.histogram = {
        {4'000'000, 4'500'000, 200}, {4'500'000, 5'000'000, 700}, {5'000'000, 6'200'000, 40}};
    details.recent.operations = {{"FileEncrypter", "fh::FileEncrypter::accept"},
                                 {"FileHandler", "fh::FileHandler::send"}};
    snapshot::ExecutionsView::Execution execution;
    execution.caller = 1;
    execution.tid = 4713;
    execution.trace_id = 88;
    execution.start_ns = answer.run.start_ns + 2'110'000'000;
    execution.end_ns = execution.start_ns + 28'020'000;
    execution.real_ns = 17'010'000;
    execution.closed = snapshot::Ending::kReturned;
    details.recent.executions.push_back(execution);
    execution.start_ns += 100'000'000;
    execution.end_ns = execution.start_ns + 5'000'000;
    execution.closed = snapshot::Ending::kLossy;
    details.recent.executions.push_back(execution);
    return answer;
  }
};

// Of a busy run, of which samples tell times.
snapshot::View busy() {
  snapshot::View answer = sampled_host();
  snapshot::Figures& figures = answer.snapshot->components[6].figures;
  figures.seen = figures.at_least = true;
  figures.calls = 40;
  figures.mean_ns = 2'000'000;
  figures.p50_ns = 1'500'000;
  figures.p99_ns = figures.max_ns = 14'000'000;
  return answer;
}

snapshot::Edge& edge(snapshot::View& view, const char* from, const char* to) {
  for (snapshot::Edge& edge : view.snapshot->edges)
    if (edge.from == from && edge.to == to) return edge;
  return view.snapshot->edges.emplace_back(snapshot::Edge{from, to, 0, 0, true, false});
}

}  // namespace

TEST_CASE(
    "details: figures, percentiles, callers, calls, operations and newest executions stand there") {
  DetailsStage stage;
  for (const char* text :
       {"probe cost taken out", "900 µs", "4.62 ms / 4.55 ms", "5.20 ms / 6.10 ms",
        "1.00 ms / 9.80 ms", "p50", "p99", "callers", "FileHandler", "960", "operations (2)",
        "fh::FileEncrypter::send", "newest executions", "2.110 s", "17.0 ms", "28.0 ms", "hide",
        "isolate", "recolour"})
    CHECK_MESSAGE(stage.shows(text), text);
}

TEST_CASE("details: the share of the window stands there once, also where hotness ranks it") {
  snapshot::View answer = DetailsStage::with_details();
  answer.snapshot->heat =
      snapshot::Heat{snapshot::HeatScale::kWall, snapshot::RankedFigure::kOfWall, 5e9, 0, 5e7};
  DetailsStage stage(std::move(answer));
  const std::string text = stage.text(), label = "ofthewindow";
  const size_t first = text.find(label);
  REQUIRE(first != std::string::npos);
  // The other one is of the operations.
  CHECK(text.find(label, first + 1) > text.find("operations(2)"));
}

TEST_CASE("details: the newest execution stands first, one that lost events says so") {
  DetailsStage stage;
  CHECK(stage.find("2.210 s").y < stage.find("2.110 s").y);
  CHECK(stage.shows("2.210 s lossy"));
}

TEST_CASE("details: a caller that is clicked becomes the selection") {
  DetailsStage stage;
  const ImVec2 heading = stage.find("callers");
  stage.click(heading.x + 10, heading.y + 20);
  CHECK(stage.model.selection.component == "FileHandler");
}

TEST_CASE("details: an execution that is clicked is picked with its names") {
  DetailsStage stage;
  const ImVec2 line = stage.find("2.110 s");
  stage.click(line.x, line.y);
  REQUIRE(stage.model.selection.execution);
  CHECK(stage.model.selection.execution->execution.tid == 4713);
  CHECK(stage.model.selection.execution->operation == "fh::FileEncrypter::accept");
  CHECK(stage.model.selection.execution->caller == "FileHandler fh::FileHandler::send");
}

TEST_CASE("details: what cannot be trusted is told in words") {
  snapshot::View answer = DetailsStage::with_details();
  auto& component = answer.snapshot->components[6];
  component.status = snapshot::Status::kPartial;
  component.operations[1].exit_mode = snapshot::ExitMode::kRefused;
  component.operations[1].reason = "it is inlined";
  component.figures.uncertain = true;
  component.figures.closed.lossy = 12;
  component.figures.truncated = 3;
  DetailsStage stage(std::move(answer));
  CHECK(stage.shows("1 of 2 operations are not observed. fh::FileEncrypter::send: it is inlined"));
  CHECK(stage.shows("The ends of 12 executions were not seen"));
  CHECK(stage.shows("Uncertain real time: the probes' own cost is over a third of it."));
  CHECK(stage.shows("3 executions too deep"));
}

TEST_CASE("details: what failed is at least so much while exceptions were not watched") {
  for (const bool at_least : {false, true}) {
    snapshot::View answer = DetailsStage::with_details();
    answer.snapshot->components[6].figures.closed = {
        .returned = 90, .abandoned = 10, .failed = 8, .failed_at_least = at_least};
    DetailsStage stage(std::move(answer));
    CHECK(stage.shows(at_least ? "≥8, ≥8.00 %" : "8, 8.00 %"));
    CHECK(stage.shows("2, 2.00 %"));
  }
}

TEST_CASE("details: single times that are much probe cost are marked") {
  snapshot::View answer = DetailsStage::with_details();
  auto& figures = answer.snapshot->components[6].figures;
  figures.mean_ns = 1200;
  figures.p50_ns = 900;
  DetailsStage before(answer);
  CHECK(before.shows("1.20 µs / 900 ns"));
  figures.uncertain_below_ns = 1000;
  DetailsStage stage(std::move(answer));
  CHECK(stage.shows("1.20 µs / ~900 ns"));
}

TEST_CASE("details: times of single calls in slices are told as such, with how much these slowed") {
  snapshot::View answer = busy();
  CHECK_FALSE(DetailsStage(answer).shows("in slices"));
  answer.snapshot->components[6].figures.sliced = snapshot::Sliced{1'234, 1.42, 12'500'000, 0};
  DetailsStage stage(std::move(answer));
  CHECK(stage.shows("p50 / p99 in slices 1.50 ms / ~14.0 ms"));
  stage.hover("p50 / p99 in slices");
  CHECK(
      stage.shows("of 1,234 executions, slowed ×1.4 by the probes of slices; mean 2.00 ms, "
                  "longest ~14.0 ms"));
}

TEST_CASE("details: latencies that probes saw stand without the percentiles of slices") {
  snapshot::View answer = busy();
  answer.details = DetailsStage::with_details().details;
  const auto text = [&] {
    const DetailsStage stage(answer);
    return stage.text();
  };
  const std::string title = "latencyofoneexecution", whose = "whileprobeswerethere";
  const auto marks = [&](const std::string& of) {
    const size_t from = of.find(title);
    return of.substr(from, of.find("callers", from) - from).find("p50") != std::string::npos;
  };
  CHECK(marks(text()));
  CHECK(text().find(whose) == std::string::npos);
  answer.snapshot->components[6].figures.sliced = snapshot::Sliced{1'234, 1.42, 12'500'000, 0};
  CHECK_FALSE(marks(text()));
  CHECK(text().find(title + whose) != std::string::npos);
  answer.details->histogram.clear();
  CHECK(DetailsStage(answer).shows("No execution of it ended while probes were there."));
}

TEST_CASE("details: calls of a neighbour are those that slices tell, else there is its time") {
  snapshot::View answer = busy();
  edge(answer, "FileHandler", "FileEncrypter").estimated->calls = {147'877, 140'500, 155'200};
  DetailsStage stage(answer);
  CHECK(stage.shows("FileHandler ≈148k"));
  stage.hover("≈148k");
  CHECK(stage.shows("≈147,877 calls ±5 %, by slices that saw all that may lie between"));
  CHECK(stage.shows("raw 1.25 s, 95 % between"));

  edge(answer, "FileHandler", "FileEncrypter").estimated->calls.reset();
  edge(answer, "FileHandler", "FileEncrypter").not_extrapolated = "depends on load";
  DetailsStage not_told(std::move(answer));
  CHECK(not_told.shows("FileHandler 1.25 s"));
  const ImVec2 heading = not_told.find("callers");
  not_told.move(heading.x + 10, heading.y + 20);
  not_told.settle();
  CHECK(not_told.shows("how many calls is not told: depends on load"));
}

TEST_CASE("details: a neighbour that slices alone have met has calls and no time") {
  snapshot::View answer = busy();
  edge(answer, "FileEncrypter", "PluginManager").estimated.emplace().calls = {1'234, 1'200, 1'268};
  DetailsStage stage(std::move(answer));
  CHECK(stage.shows("PluginManager ≈1,234"));
  stage.hover("≈1,234");
  CHECK(stage.shows("≈1,234 calls ±3 %, by slices that saw all that may lie between"));
  CHECK(stage.shows("In no sample of the window: seen in slices."));
}

TEST_CASE("details: neighbours without a time are ranked by calls, and are no fainter") {
  snapshot::View answer = busy();
  edge(answer, "FileEncrypter", "AccessControl").estimated.emplace().calls = {20, 19, 21};
  edge(answer, "FileEncrypter", "PluginManager").estimated.emplace().calls = {1'234, 1'200, 1'268};
  DetailsStage stage(std::move(answer));
  CHECK(stage.find("PluginManager").y < stage.find("≈20").y);
  const ImVec2 calls = stage.find("≈20");
  const auto glyphs = stage.glyphs();
  CHECK(std::ranges::none_of(glyphs, [&](const Glyph& glyph) {
    return glyph.max.y > calls.y - 4 && glyph.min.y < calls.y + 4 && glyph.min.x > 900 &&
           glyph.colour == stage.theme.dim;
  }));
}

TEST_CASE("details: calls that slices do not tell say why") {
  snapshot::View answer = busy();
  snapshot::Figures& figures = answer.snapshot->components[6].figures;
  figures.not_extrapolated = "send: 3 of 6 slices so far";
  CHECK(DetailsStage(answer).shows("send: 3 of 6 slices so far"));
  CHECK(DetailsStage(answer).shows("calls ≥40"));
  figures.calls = 0;
  CHECK(DetailsStage(answer).shows("calls not told"));
}

TEST_CASE("details: hide, isolate and show all change what is shown") {
  DetailsStage stage;
  const ImVec2 isolate = stage.find("isolate");
  stage.click(isolate.x, isolate.y);
  CHECK(stage.model.settings.isolated.contains("FileEncrypter"));
  const ImVec2 show_all = stage.find("show all");
  stage.click(show_all.x, show_all.y);
  CHECK(stage.model.settings.isolated.empty());
  const ImVec2 hide = stage.find("hide");
  stage.click(hide.x, hide.y);
  CHECK(stage.model.settings.hidden.contains("FileEncrypter"));
  CHECK(stage.model.selection.component.empty());
  CHECK(stage.shows("FileEncrypter is hidden."));
}

TEST_CASE("details: hovering a figure tells its definition") {
  DetailsStage stage;
  const ImVec2 label = stage.find("probe cost taken out");
  stage.move(label.x, label.y);
  stage.settle();
  CHECK(stage.shows("what the probes themselves added"));
}

TEST_CASE("details: with nothing selected the hottest are listed and can be picked") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Table"));
  feed(stage);
  const ImVec2 title = stage.find("Hottest");
  stage.click(title.x, title.y + 30);
  CHECK(stage.model.selection.component == "FileDecrypter");
}

TEST_CASE("details: operations are sorted by what makes hot, which is printed and named") {
  for (const auto& [figure, word] : words(snapshot::RankedFigure{})) {
    CAPTURE(word);
    Stage stage(1280, 900);
    snapshot::View view = file_host();
    view.strip.reset();
    view.snapshot->heat = snapshot::Heat{snapshot::HeatScale::kWindow, figure, 5e8, 0, 0};
    auto& operations = view.snapshot->components[9].operations;
    REQUIRE(operations.size() >= 2);
    for (size_t i = 0; i < operations.size(); ++i) {
      // The other way round than their real times are.
      snapshot::Figures& f = operations[i].figures;
      f.ranked = 1e8 * double(i + 1);
      f.deviation_ns = f.ranked;
      f.net_real_ns = figure == snapshot::RankedFigure::kReal ? uint64_t(f.ranked) : 1000 - i;
      f.estimated.emplace().cpu_ns = snapshot::Estimate{f.ranked, f.ranked, f.ranked};
    }
    feed(stage, view);
    stage.model.selection = {view.snapshot->components[9].name, "", {}};
    stage.settle();
    CHECK(stage.shows(std::string(ranked_name(*view.snapshot))));
    const auto& last = operations.back();
    CHECK(stage.shows(ranked_text(*view.snapshot, last.figures)));
    CHECK(stage.find(last.name).y < stage.find(operations.front().name).y);
  }
}
