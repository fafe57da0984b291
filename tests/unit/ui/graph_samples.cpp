// SPDX-License-Identifier: Apache-2.0
#include "graph_samples.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <thread>

namespace compmond::ui {
namespace {

constexpr uint64_t kStart = 1'000'000'000'000, kSecond = 1'000'000'000, kMs = 1'000'000;
constexpr std::array kChain = {"HTTPServer", "UploadManager", "FileHandler", "FileEncrypter",
                               "FSWriter"};
constexpr uint64_t kUploads = 20;

std::string operation_of(const std::string& component) {
  return "fh::" + component + "::accept(char const*, unsigned long)";
}

}  // namespace

snapshot::AnalysisView uploads() {
  snapshot::AnalysisView out;
  out.start_ns = kStart + 17 * kSecond;
  out.end_ns = kStart + 22 * kSecond;
  out.traces = kUploads;
  out.executions = kUploads * kChain.size();
  return out;
}

snapshot::AnalysisView call_tree_of_uploads(size_t paths) {
  snapshot::AnalysisView out = uploads();
  out.report = snapshot::Report::kCallTree;
  auto& nodes = out.content.emplace<snapshot::CallTree>().nodes;
  nodes.push_back({-1, -1, kUploads, 1'000 * kMs, 0});
  for (size_t i = 0; i < kChain.size(); ++i) {
    out.operations.push_back({kChain[i], operation_of(kChain[i])});
    // 1000, 900, 800 … ms, each 100 ms of its own; what is last keeps all.
    const uint64_t raw = (10 - i) * 100 * kMs;
    nodes.push_back(
        {int32_t(i), int64_t(i), kUploads, raw, i + 1 == kChain.size() ? raw : 100 * kMs});
  }
  for (size_t i = 0; i < paths; ++i) {
    out.operations.push_back({"PluginManager", fmt::format("fh::plugin{}()", i)});
    nodes.push_back({1, int64_t(kChain.size() + i), 1, kMs / 100, kMs / 100});
  }
  return out;
}

snapshot::AnalysisView dependencies_of_uploads(bool operations) {
  snapshot::AnalysisView out = uploads();
  out.report = snapshot::Report::kDependencyGraph;
  out.level = operations ? snapshot::Level::kOperation : snapshot::Level::kComponent;
  auto& graph = out.content.emplace<snapshot::DependencyGraph>();
  for (size_t i = 0; i < kChain.size(); ++i) {
    graph.nodes.push_back({kChain[i], operations ? operation_of(kChain[i]) : ""});
    graph.edges.push_back({int32_t(i) - 1, int32_t(i), kUploads * (i + 1), (10 - i) * kMs,
                           (20 - i) * kMs, (30 - i) * kMs});
  }
  graph.edges.push_back({0, 0, 7, kMs, 2 * kMs, 3 * kMs});
  return out;
}

snapshot::AnalysisView markov_of_uploads(bool operations) {
  snapshot::AnalysisView out = uploads();
  out.report = snapshot::Report::kMarkov;
  out.level = operations ? snapshot::Level::kOperation : snapshot::Level::kComponent;
  auto& chain = out.content.emplace<snapshot::Markov>();
  const auto last = uint32_t(kChain.size());
  for (size_t i = 0; i < kChain.size(); ++i) {
    chain.nodes.push_back({kChain[i], operations ? operation_of(kChain[i]) : ""});
    chain.states.push_back({int32_t(i) - 1, int32_t(i), true});
  }
  for (size_t i = kChain.size(); i-- > 0;)
    chain.states.push_back({int32_t(i), int32_t(i) - 1, false});
  for (uint32_t i = 0; i + 1 < 2 * last; ++i) chain.transitions.push_back({i, i + 1, 1, kUploads});
  // In one of 200 cases FileHandler returns at once.
  chain.transitions[2] = {2, 3, 0.995, 199};
  chain.transitions.push_back({2, 2 * last - 3, 0.005, 1});
  return out;
}

void feed_analysis(Stage& stage, snapshot::AnalysisView answer) {
  snapshot::View view = file_host();
  view.strip.reset();  // its labels are the same names
  view.analysis = std::move(answer);
  feed(stage, std::move(view));
}

void wait_for_graph(Stage& stage, const char* shown) {
  for (int i = 0; i < 20'000 && (stage.app.animates() || !stage.shows(shown)); ++i) {
    stage.frame();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  REQUIRE(stage.shows(shown));
  REQUIRE_FALSE(stage.app.animates());
}

void show_alone(Stage& stage, const char* view) {
  stage.model.settings.options["frame/details"] = 0;
  REQUIRE(stage.app.show_view(view));
}

}  // namespace compmond::ui
