// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include "json_texts.h"
#include "protocol/protocol.h"
#include "protocol/view.h"

namespace compmond::fuzz {
namespace {

using namespace snapshot;

ExecutionsView executions() {
  ExecutionsView out{1, 9, {{"A", "work"}}, {}, {{0, 4, 5, 1, 6, 7, 2, 3, 1}}, 8, true};
  out.executions.emplace_back().closed = Ending::kOpen;
  out.away.push_back({"A", 1, 2});
  out.sampled.push_back({"A", {1, 2}});
  return out;
}

Snapshot snapshot_of_all() {
  Snapshot out;
  out.metric = "overall";
  out.targets.emplace_back().exe = "/bin/a";
  out.components.emplace_back().name = "A";
  out.edges.emplace_back();
  out.threads.push_back({-1, 1, "a", 2, 3});
  out.health.refused.push_back({"a", "b"});
  return out;
}

// An answer with something of everything.
const std::string& sound(size_t which) {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> out{to_line(Hello{"1.0", "shop", {{"overall", "all of it"}}, true}),
                                 to_line(ControlAnswer{1, "written", ""}),
                                 to_line(Refusal{2, "too long"})};
    View view;
    view.run = {1, 2, false, true, 3.5, 4, true, 2.5, 9};
    view.snapshot = snapshot_of_all();
    view.strip = StripView{1, 2, 2, {"A"}, {{5, 6}}, {0, 1}, {{0, 1, 2}}};
    view.executions = executions();
    view.details = DetailsView{"A", {{1, 2, 3}}, executions()};
    out.push_back(to_line(view));
    AnalysisView& analysis = view.analysis.emplace();
    view.snapshot.reset();
    view.strip.reset();
    view.executions.reset();
    view.details.reset();
    analysis.operations = {{"A", "work"}};
    analysis.report = Report::kTraces;
    analysis.content = Traces{{{1, 4, 5, 6, 7, 0, 8, 2, 1, true, 3, "alice"}}};
    out.push_back(to_line(view));
    return out;
  }();
  return kAll[which % kAll.size()];
}

}  // namespace
}  // namespace compmond::fuzz

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace compmond;
  return fuzz::mutate_json(data, size, most, seed, fuzz::sound(seed / 7));
}
