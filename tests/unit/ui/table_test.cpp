// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "picture.h"
#include "stage.h"
#include "ui/views/table/table_columns.h"
#include "ui/views/table/table_rows.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

struct TableStage : Stage {
  explicit TableStage(snapshot::View answer = file_host()) : Stage(1280, 800) {
    REQUIRE(app.show_view("Table"));
    feed(*this, std::move(answer));
  }
};

std::string first(const Stage& stage, const std::vector<TableRow>& rows) {
  return stage.model.snapshot->components[rows.front().component].name;
}

size_t column(const char* title) {
  const auto all = table_columns();
  for (size_t i = 0; i < all.size(); ++i)
    if (std::string(all[i].title) == title) return i;
  FAIL("no column " << title);
  return 0;
}

}  // namespace

TEST_CASE("table: shows figures with units, thousands separated") {
  TableStage stage;
  for (const char* figure :
       {"FileDecrypter", "100", "3.50 s", "1,749", "4.62 ms", "6.10 ms", "9.80 ms"})
    CHECK(stage.shows(figure));
}

TEST_CASE("table: columns that do not fit are scrolled to, none is left out") {
  Stage stage(800, 600);
  REQUIRE(stage.app.show_view("Table"));
  feed(stage);
  CHECK(stage.shows("hotness"));
  CHECK_FALSE(stage.shows("open"));  // the last column
  const ImVec2 row = stage.find("FSWriter");
  stage.move(row.x, row.y);
  for (int i = 0; i < 40; ++i) {
    ImGui::GetIO().MouseWheelH = -1;
    stage.frame();
  }
  stage.settle();
  CHECK(stage.shows("open"));
  CHECK(stage.shows("FSWriter"));
}

TEST_CASE("table: a click on a row selects its component, the details appear") {
  TableStage stage;
  const ImVec2 row = stage.find("FSWriter");
  stage.click(row.x, row.y);
  CHECK(stage.model.selection.component == "FSWriter");
  CHECK(stage.app.request().details == "FSWriter");
  CHECK(stage.shows("probe cost taken out"));
}

TEST_CASE("table: a click on a head sorts, another one turns it round") {
  TableStage stage;
  const auto above = [&](const char* one, const char* other) {
    return stage.find(one).y < stage.find(other).y;
  };
  CHECK(above("FileDecrypter", "HTTPServer"));
  const ImVec2 head = stage.find("component");
  stage.click(head.x, head.y);
  CHECK(above("AccessControl", "FileReader"));
  stage.click(head.x, head.y);
  CHECK(above("UploadManager", "FileReader"));
}

TEST_CASE(
    "table: rows do not swap places while they are pointed at, but where a mouse only rests") {
  TableStage stage;
  stage.move(300, 300);
  snapshot::View answer = file_host();
  answer.snapshot->components[0].figures.hotness = 100;
  answer.snapshot->components[9].figures.hotness = 1;
  take(stage.model, std::move(answer));
  stage.frame(3);
  stage.move(300, 301);
  stage.frame(3);
  CHECK(stage.find("FileDecrypter").y < stage.find("FileReader").y);
  stage.frame(2);
  stage.settle();
  CHECK(stage.find("FileReader").y < stage.find("FileDecrypter").y);
}

TEST_CASE("table: where figures stand still the order is theirs at once, pointed at or not") {
  const auto swapped = [] {
    snapshot::View answer = file_host();
    answer.snapshot->components[0].figures.hotness = 100;
    answer.snapshot->components[9].figures.hotness = 1;
    return answer;
  };
  for (const char* how : {"paused", "ended", "lost"}) {
    CAPTURE(how);
    TableStage stage;
    stage.move(300, 300);
    REQUIRE(stage.find("FileDecrypter").y < stage.find("FileReader").y);
    snapshot::View answer = swapped();
    if (how == std::string("paused")) pause(stage.model);
    if (how == std::string("ended")) answer.run.live = false;
    take(stage.model, std::move(answer));
    if (how == std::string("lost")) stage.model.link.state = Link::State::kLost;
    stage.frame(0.01);
    CHECK(stage.find("FileReader").y < stage.find("FileDecrypter").y);
  }
}

TEST_CASE("table: the deviation is a column where it is what makes hot") {
  snapshot::View answer = file_host();
  REQUIRE_FALSE(TableStage(answer).shows("deviation"));
  answer.snapshot->metric = "deviation";
  answer.snapshot->heat.emplace().ranks = snapshot::RankedFigure::kDeviation;
  auto& components = answer.snapshot->components;
  const double window_ns =
      double(answer.snapshot->window_end_ns - answer.snapshot->window_start_ns);
  for (auto& component : components) component.figures.deviation_ns.reset();
  components[0].figures.deviation_ns = 0.25 * window_ns;
  components[9].figures.deviation_ns = -0.125 * window_ns;
  const TableStage stage(std::move(answer));
  CHECK(stage.shows("deviation"));
  CHECK(stage.shows("+25.0 %"));
  CHECK(stage.shows("−12.5 %"));
}

TEST_CASE("table: an unfolded component shows its operations") {
  TableStage stage;
  const ImVec2 row = stage.find("FileDecrypter");
  CHECK_FALSE(stage.shows("fh::FileDecrypter::accept"));
  stage.click(21, row.y);
  CHECK(stage.shows("fh::FileDecrypter::accept"));
}

TEST_CASE("table: a component that is not observed has no zeros") {
  snapshot::View answer = file_host();
  answer.snapshot->components[9].status = snapshot::Status::kRefused;
  answer.snapshot->components[9].figures = {};
  TableStage stage(std::move(answer));
  CHECK(stage.shows("refused"));
  CHECK(stage.shows("–"));
}

TEST_CASE("table: of calls that nobody could see there is no zero, but why") {
  snapshot::View answer = file_host();
  snapshot::Component& away = answer.snapshot->components[2];
  for (auto* figures : {&away.figures, &away.operations[0].figures}) {
    *figures = {};
    figures->at_least = true;
    figures->observed_share = 0.01;
    figures->estimated.emplace().net_real_ns = snapshot::Estimate{0, 0, 81e6};
    figures->estimated->raw_ns = snapshot::Estimate{0, 0, 82e6};
  }
  TableStage stage(answer);
  stage.model.settings.options["frame/details"] = 0;
  stage.settle();
  CHECK_FALSE(stage.shows("≥0"));
  CHECK(stage.shows("<81.0 ms"));
  CHECK(stage.shows("<82.0 ms"));
  const ImVec2 head = stage.find("calls"), row = stage.find(away.name.c_str());
  stage.move(head.x, row.y);
  stage.settle();
  CHECK(stage.shows("Its probes were there in 1 % of the time"));
}

TEST_CASE("table: calls that slices tell of stand with a sign, and how they are known") {
  snapshot::View answer = file_host();
  snapshot::Figures& figures = answer.snapshot->components[3].figures;
  figures.at_least = true;
  figures.calls = 12;
  figures.observed_share = 0.01;
  figures.estimated.emplace().calls = snapshot::CallsEstimate{71'204, 70'000, 72'408};
  figures.estimated->net_real_ns = snapshot::Estimate{1e9, 0.9e9, 1.1e9};
  figures.estimated->samples = 200;
  TableStage stage(answer);
  CHECK(stage.shows("≈71,204"));
  CHECK(stage.shows("±2 %"));
  CHECK_FALSE(stage.shows("≥12"));
  const ImVec2 at = stage.find("≈71,204");
  stage.move(at.x, at.y);
  stage.settle();
  CHECK(stage.shows("95 % between 70,000 and 72,408: 12 were seen"));
  figures.estimated->calls.reset();
  figures.not_extrapolated = "depends on load";
  feed(stage, answer);
  stage.settle();
  CHECK(stage.shows("≥12"));
  CHECK(stage.shows("Slices do not tell of the others: depends on load."));
}

TEST_CASE("table: a component that was not called has no mean, and no longest call") {
  snapshot::View answer = file_host();
  answer.snapshot->components[2].figures = {};
  TableStage stage(answer);
  const ImVec2 head = stage.find("mean raw");
  stage.move(head.x, stage.find(answer.snapshot->components[2].name.c_str()).y);
  stage.settle();
  CHECK(stage.shows("No call was seen."));
}

TEST_CASE("table: a window without calls says so, with what the zeros are worth") {
  snapshot::View answer = file_host();
  for (auto& component : answer.snapshot->components) component.figures = {};
  TableStage stage(answer);
  CHECK(stage.shows("Attached to 20 operations, none called in this window."));
  CHECK(stage.shows("everything is observed and nothing was lost"));
  answer.snapshot->health.lost = 3;
  feed(stage, answer);
  CHECK(stage.shows("Not everything is observed"));
  answer.snapshot->health.lost = 0;
  answer.snapshot->components[3].figures.observed_share = 0.5;
  feed(stage, answer);
  CHECK(stage.shows("Not everything is observed"));
  // That probes went away after the window's end is no doubt of it.
  answer.snapshot->components[3].figures.observed_share.reset();
  answer.snapshot->health.throttled = {"fh::FileReader::next"};
  feed(stage, answer);
  CHECK(stage.shows("everything is observed and nothing was lost"));
}

TEST_CASE("table: of one that contains others it is said whose its figures are") {
  snapshot::View answer = file_host();
  auto& all = answer.snapshot->components;
  for (const size_t inner : {1, 3}) {
    all[inner].parent = all[inner - 1].name;
    all[inner].name = all[inner - 1].name + "/" + all[inner].name;
  }
  all[0].figures = {};  // idle beside what it contains
  all[0].subtree = {3'481, 1'050'000'000, 1'049'000'000};
  all[2].operations.clear();
  all[2].subtree = all[0].subtree;
  TableStage stage(answer);
  stage.model.settings.options["frame/details"] = 0;
  stage.settle();
  CHECK(stage.shows("HTTPServer own"));
  CHECK(stage.shows("UploadManager sum"));
  const auto point = [&](const char* name) {
    const ImVec2 at = stage.find(name);
    stage.move(at.x, at.y);
    stage.settle();
  };
  point("HTTPServer own");
  CHECK(
      stage.shows("Its figures are of its own operations: 1.05 s inside, 3,481 calls, these "
                  "included."));
  point("UploadManager sum");
  CHECK(stage.shows("Its figures are the sums of what is inside it."));
}

TEST_CASE("table: a sum has no flat line of activity beside what is inside it") {
  const auto bars = [](bool sum) {
    snapshot::View answer = file_host();
    if (sum) answer.snapshot->components[2].operations.clear();
    const TableStage stage(std::move(answer));
    for (const std::string& line : picture(stage, "view"))
      if (line.find("#e5533dbf ") != std::string::npos)
        return std::stoi(line.substr(line.find("bf ") + 3));
    return 0;
  };
  CHECK(bars(false) > bars(true));
  CHECK(bars(true) > 0);
}

TEST_CASE("table rows: sorted by figures, equal ones as in the spec, hidden ones left out") {
  TableStage stage;
  CHECK(first(stage, table_rows(stage.model, {column("real"), true}, {})) == "FileDecrypter");
  CHECK(first(stage, table_rows(stage.model, {column("real"), false}, {})) == "HTTPServer");
  CHECK(first(stage, table_rows(stage.model, {column("p99"), true}, {})) == "HTTPServer");
  stage.model.settings.hidden = {"HTTPServer"};
  CHECK(first(stage, table_rows(stage.model, {column("p99"), true}, {})) == "AccessControl");
  stage.model.settings.isolated = {"FileReader"};
  CHECK(table_rows(stage.model, {0, true}, {}).size() == 1);
}

TEST_CASE("table rows: a search keeps what it finds, and operations of others that match") {
  TableStage stage;
  stage.model.search.text = "FILE";
  CHECK(table_rows(stage.model, {0, true}, {}).size() == 4);
  stage.model.search.text = "httpserver::send";
  const auto rows = table_rows(stage.model, {0, true}, {});
  REQUIRE(rows.size() == 2);
  CHECK(rows[1] == TableRow{0, 1});
}

TEST_CASE("table rows: a rate is calls by the window's length") {
  snapshot::Figures figures;
  figures.calls = 100;
  const auto& rate = table_columns()[column("rate")];
  CHECK(rate.text(rate.value(figures, 5)) == "20.0/s");
  CHECK(rate.text(rate.value(figures, 0)) == "0/s");
}

TEST_CASE(
    "table rows: a component stands below its parent, that where the first of its own would") {
  TableStage stage;
  auto& components = stage.model.snapshot->components;
  components.resize(4);
  const char* const names[] = {"Web", "Web/Parser", "Store", "Store/Disk"};
  const uint64_t real_ns[] = {10, 50, 30, 5};
  for (size_t i = 0; i < components.size(); ++i) {
    components[i].name = names[i];
    components[i].parent.reset();
    if (i % 2 == 1) components[i].parent = names[i - 1];
    components[i].figures.net_real_ns = real_ns[i];
    components[i].operations.clear();
  }
  const auto order = [&](bool descending) {
    std::string out;
    for (const TableRow& row : table_rows(stage.model, {column("real"), descending}, {})) {
      const auto name = shown_name(components[row.component], row.depth);
      out += std::string(row.depth, '>') + std::string(name) + " ";
    }
    return out;
  };
  CHECK(order(true) == "Web >Parser Store >Disk ");
  CHECK(order(false) == "Store >Disk Web >Parser ");
  stage.model.settings.hidden = {"Web"};
  CHECK(order(true).find("Web") == std::string::npos);
  stage.model.settings.hidden = {};
  stage.model.search.text = "disk";
  CHECK(order(true) == "Store/Disk ");
}
