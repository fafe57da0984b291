// SPDX-License-Identifier: Apache-2.0
// What compmond-ui draws of a fixed run, beside what was agreed: tests/unit/ui/golden. A change
// that is meant is taken over with
//   COMPMOND_GOLDEN=write build/dev/bin/unit_ui -tc='golden*'
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "graph_samples.h"
#include "inside_samples.h"
#include "picture.h"
#include "trace_samples.h"
#include "ui/views/kinds.h"

using namespace compmond;
using namespace compmond::ui;

namespace {

constexpr size_t kShown = 40;  // lines of a difference

std::string path_of(const std::string& name) {
  return std::string(SOURCE_DIR) + "/tests/unit/ui/golden/" + name + ".txt";
}

std::vector<std::string> read(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> out;
  for (std::string line; std::getline(file, line);) out.push_back(line);
  return out;
}

void compare(const std::string& name, const std::vector<std::string>& drawn) {
  const std::string path = path_of(name);
  const char* wish = std::getenv("COMPMOND_GOLDEN");
  if (wish && std::string(wish) == "write") {
    std::ofstream file(path);
    for (const std::string& line : drawn) file << line << '\n';
    REQUIRE(file.flush());
    return;
  }
  const std::vector<std::string> lines = difference(read(path), drawn);
  std::string told;
  for (size_t i = 0; i < std::min(lines.size(), kShown); ++i) told += lines[i] + "\n";
  CHECK_MESSAGE(lines.empty(), name << " is drawn otherwise than golden/" << name
                                    << ".txt says, in " << lines.size() << " lines:\n"
                                    << told
                                    << "If it is meant: COMPMOND_GOLDEN=write "
                                       "build/dev/bin/unit_ui -tc='golden*'");
}

// Bad news of all kinds, so that they are in the pictures.
snapshot::View sample() {
  snapshot::View view = file_host();
  auto& snapshot = *view.snapshot;
  snapshot.components[1].figures.uncertain = true;
  snapshot.components[2].status = snapshot::Status::kPartial;
  snapshot.components[2].operations[0].exit_mode = snapshot::ExitMode::kRefused;
  snapshot.components[2].operations[0].reason = "it is inlined everywhere";
  snapshot.health.refused.push_back({"_ZN2fh2E", "it is inlined everywhere"});
  snapshot.health.lost = 12;
  snapshot.edges.push_back({"HTTPServer", "DirReader", 0, 0, true});
  view.executions = executions_of(view);
  auto& details = view.details.emplace();
  details.component = "FileEncrypter";
  for (uint64_t i = 0; i < 12; ++i)
    details.histogram.push_back({1'000'000ull << i, 2'000'000ull << i, 7 * (12 - i) * i});
  details.recent = *view.executions;
  return view;
}

// What a view that asks about the traces is answered.
std::optional<snapshot::AnalysisView> answer_to(
    const std::optional<snapshot::AnalysisRequest>& request) {
  if (!request) return std::nullopt;
  switch (request->report.known().value()) {
    case snapshot::Report::kTraces:
    case snapshot::Report::kClasses:
      return trace_list();
    case snapshot::Report::kTrace:
      return one_trace();
    case snapshot::Report::kCallTree:
      return call_tree_of_uploads();
    case snapshot::Report::kDependencyGraph:
      return dependencies_of_uploads(false);
    case snapshot::Report::kMarkov:
      return markov_of_uploads();
    case snapshot::Report::kInside:
      return inside_of_encrypter();
  }
  return std::nullopt;
}

// The fixed run on a screen of the usual size, at rest.
struct Golden : Stage {
  explicit Golden(ViewId view)
      : Golden(view, view == ViewId::kInside ? sampled_host() : sample()) {}
  Golden(ViewId view, snapshot::View answer) : Stage(1280, 800) {
    app.show_view(view);
    settle();
    if (view == ViewId::kInside) feed(*this, answer);  // it asks about what it knows
    answer.analysis = answer_to(app.request().analysis);
    give(*this, std::move(answer));
    if (view == ViewId::kMap) arrange();
    settle();
    if (view == ViewId::kDependencies || view == ViewId::kMarkov)
      wait_for_graph(*this, "HTTPServer");
  }
};

std::string file_name(std::string name) {
  for (char& c : name) c = c == ' ' ? '-' : char(std::tolower(uint8_t(c)));
  return name;
}

}  // namespace

TEST_CASE("golden: every view draws what was agreed") {
  for (const ViewKind& kind : view_kinds()) {
    const Golden golden(kind.id);
    const auto drawn = picture(golden, "view");
    REQUIRE(drawn.size() > 5);
    compare("view-" + file_name(kind.label()), drawn);
  }
}

TEST_CASE("golden: a run that rests on samples draws what was agreed") {
  for (const ViewId view : {ViewId::kMap, ViewId::kTable, ViewId::kHealth})
    compare("sampled-" + file_name(to_text(view)), picture(Golden(view, sampled_host()), "view"));
  Golden golden(ViewId::kTable, sampled_host());
  compare("sampled-status", picture(golden, "status"));
  golden.model.selection.component = "FileEncrypter";
  golden.settle();
  compare("sampled-details", picture(golden, "details"));
}

TEST_CASE("golden: a run of which parts are switched off draws what was agreed") {
  for (const ViewId view : {ViewId::kMap, ViewId::kTable, ViewId::kHealth})
    compare("switched-" + file_name(to_text(view)), picture(Golden(view, switched_host()), "view"));
  Golden golden(ViewId::kTable, switched_host());
  for (const char* part : {"time", "status"})
    compare(std::string("switched-") + part, picture(golden, part));
  golden.model.hello.control = true;
  golden.model.selection.component = "FileReader";
  golden.settle();
  compare("switched-details", picture(golden, "details"));
}

TEST_CASE("golden: every part of the frame draws what was agreed") {
  Golden golden(ViewId::kMap);
  for (const char* part : {"top", "time", "status", "details"})
    compare(std::string("frame-") + part, picture(golden, part));
  golden.model.selection.component = "FileEncrypter";
  golden.settle();
  compare("frame-details-selected", picture(golden, "details"));
}

TEST_CASE("golden: the same run is drawn the same a second time") {
  for (const ViewKind& kind : view_kinds()) {
    const auto drawn = [&] { return picture(Golden(kind.id), "view"); };
    const auto first = drawn(), second = drawn();
    CHECK(difference(first, second).empty());
  }
}

TEST_CASE("golden: a figure, a colour and a place that change are told, with what they were") {
  Stage stage(1280, 800);
  REQUIRE(stage.app.show_view("Table"));
  feed(stage);
  const auto before = picture(stage, "view");
  snapshot::View answer = file_host();
  answer.snapshot->components[3].figures.p99_ns = 7'000'000;
  feed(stage, std::move(answer));
  const auto lines = difference(before, picture(stage, "view"));
  const auto told = [&](char sign, const char* text) {
    return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) {
      return line[0] == sign && line.find(text) != std::string::npos;
    });
  };
  CHECK(told('-', "6.10 ms"));
  CHECK(told('+', "7.00 ms"));
  CHECK(difference(before, before).empty());
}
