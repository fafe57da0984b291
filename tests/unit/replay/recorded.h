// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>

#include "../pipeline/list_source.h"
#include "present/run_parts.h"
#include "present/slo.h"
#include "present/snapshot_builder.h"
#include "recording/recorder.h"
#include "run_log/log_values.h"
#include "spec/parse.h"

namespace compmond::replay::test {

using pipeline::test::at;
using pipeline::test::kMs;
using pipeline::test::kStart;
using pipeline::test::ListSource;
using record::Event;
using record::EventKind;

inline constexpr const char* kSpec =
    R"({"schema": "compmond.spec/1", "name": "chain", "components": [
    {"name": "A", "in": ["fa"], "components": [{"name": "B", "in": ["fb"]}]}, {"name": "C", "in": ["fc"]}],
    "connections": [["A", "C"]]})";

inline plan::Plan plan() {
  plan::Plan out;
  for (int i = 0; i < 3; ++i) {
    plan::PlannedOperation op;
    op.component = i;
    op.ways.resize(1);
    op.name = op.symbol = std::string("f") + char('a' + i);
    op.slo_ms = 10 * i;
    out.operations.push_back(op);
  }
  out.operations[2].ways[0].reason = "C++ can throw: ret-sites";
  return out;
}

// One was away for the overhead budget.
inline plan::OperationStates states_of(const plan::Plan& plan) {
  plan::OperationStates out(plan);
  out.pause(1, kStart + 100 * kMs, "too dear");
  out.come_back(1, kStart + 200 * kMs, "");
  return out;
}

inline std::vector<std::pair<uint32_t, std::vector<Event>>> scene() {
  return {{0, {at(0, EventKind::kEntry, 0, 900), at(250, EventKind::kEntry, 1, 800)}},
          {1, {at(300, EventKind::kEntry, 2, 900), at(450, EventKind::kExit, 2, 900)}},
          {0, {at(750, EventKind::kExit, 1, 800), at(1000, EventKind::kExit, 0, 900)}},
          {1, {at(1100, EventKind::kEntry, 0, 900), at(1150, EventKind::kThreadExit, 0, 0)}},
          {0, {at(1200, EventKind::kEntry, 0, 900), at(1300, EventKind::kEntry, 2, 800)}}};
}

// A run that was recorded, and what its own snapshot said.
struct Recorded {
  Recorded() {
    std::string name = std::filesystem::temp_directory_path() / "compmond-replay-XXXXXX";
    folder = ::mkdtemp(name.data());
    path = folder / "log";
    const spec::Spec spec = *spec::parse(kSpec, "chain.json");
    const plan::Plan planned = plan();
    const plan::OperationStates states = states_of(planned);
    plan::Costs costs;
    costs.set("", "", spec::ExitMode::kReturnProbe, {double(kMs) / 3, 0.1});
    const target::ObservedProcesses processes({{100, "/bin/chain", 7, false, 0, 0}}, 400 * kMs);
    const std::vector<std::string> notes = {"noted"};
    recording::Header header =
        run::log_header(spec, planned, states, costs, {{"uprobe", "multi", true}});
    header.start_ns = header.begin_ns = kStart;
    header.history_bytes = 1u << 20;
    const std::vector<target::Program> programs{{{}, "abc"}};
    header.build_id = "abc";
    auto recorder = *recording::Recorder::open({.path = path});
    REQUIRE(recorder->start(header));
    ListSource source;
    pipeline::Options options;
    options.component_of = {0, 1, 2};
    options.objectives = present::objectives_of(planned, states);
    options.history_bytes = 1u << 20;
    options.start_ns = kStart;
    options.recorder = recorder.get();
    auto worker = *Worker::start("cannot test");
    pipeline::Pipeline pipeline(source, options);
    for (auto& [thread, events] : scene()) source.put(thread, events);
    pipeline.start(worker);
    pipeline.begin_change(kStart + 1400 * kMs, {0, 1, 2});
    pipeline.close_open();
    pipeline.end_change();
    pipeline.stop(kStart + 2000 * kMs);
    const pipeline::SharedCheckpoint now = pipeline.checkpoint();
    present::RunParts parts{spec,           planned,   states, costs,
                            header.engines, processes, notes,  pipeline.store(),
                            *now,           programs,  true};
    parts.strangers = {20, 2, false, 4e6, 1, {"/lib/libx.so"}};
    live = present::build_snapshot(parts, {figures::last_seconds(*now, 0), "mean"});
    auto state =
        run::log_state(header, planned, states, processes, costs, programs, notes, parts.strangers);
    state.as_of_ns = kStart + 2000 * kMs;
    state.ended = true;
    state.capture = now->capture;
    recorder->finish(state);
    CHECK(!recorder->take_error());
  }
  ~Recorded() { std::filesystem::remove_all(folder); }

  std::filesystem::path folder, path;
  snapshot::Snapshot live;
};

}  // namespace compmond::replay::test
