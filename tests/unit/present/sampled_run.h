// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "estimate/sample_store.h"
#include "present/estimated.h"
#include "small_run.h"

// The small run with samples.
namespace compmond::present::test {

// The small run, of whose operations some are known by samples alone: fc was on a CPU in the second
// half of its 100 ms, fa in the first.
struct SampledRun : Run {
  explicit SampledRun(const std::vector<size_t>& sampled) {
    plan.images.push_back({0, "/main", true, nullptr, 8, 100});
    for (plan::PlannedOperation& op : plan.operations) op.image = 0;
    for (const size_t i : sampled) plan.operations[i].ways[0].code = {{256 * (i + 1), 256}};
    states = plan::OperationStates(plan);
    samples.emplace(present::estimate_model_of(spec, plan));
    samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
    for (uint64_t i = 0; i < 20; ++i) sample((i + 1) * 5 * kMs - 1, {i < 10 ? 1u : 3u});
    stretch(0, 100, true, 100);
  }
  // Goes on to 150 ms, of which the samples were taken, but their stretch was not told.
  void run_on() {
    for (uint64_t time = 104; time < 150; time += 5) sample(time * kMs, {3});
    checkpoint.as_of_ns = 150 * kMs;
  }
  Result<snapshot::View> ask(const snapshot::ViewRequest& request, bool ended = false) const {
    present::RunParts parts = this->parts();
    parts.ended = ended;
    parts.samples.emplace(present::RunSamples{*samples, 200});
    return answer_view(parts, request, {}, analyst);
  }
  snapshot::Snapshot look(const snapshot::TimeWindow& window, bool ended = false) const {
    snapshot::ViewRequest request;
    request.window = window;
    auto view = ask(request, ended);
    REQUIRE(view);
    return std::move(*view->snapshot);
  }
  // Of the functions on the stack, 1 to 3, innermost first.
  void sample(uint64_t time_ns, std::initializer_list<uint64_t> stack, uint64_t off_ns = 0,
              sampling::Ended ended = sampling::Ended::kComplete, uint64_t runnable_ns = 0) {
    sampling::Sample sample;
    sample.ended = ended;
    sample.kind = off_ns ? sampling::Sample::Kind::kOffCpu : sampling::Sample::Kind::kOnCpu;
    sample.pid = 10;
    sample.tid = 11;
    sample.time_ns = time_ns;
    sample.off_ns = sample.weight_ns = off_ns;
    sample.runnable_ns = runnable_ns;
    std::vector<sampling::Frame> frames;
    for (const uint64_t function : stack)
      frames.push_back({sampling::kFirstFile, 256 * function + 4});
    sample.frames = frames;
    samples->on_sample(sample);
  }
  void stretch(uint64_t start_ms, uint64_t end_ms, bool off_cpu, uint64_t cpu_ms) {
    sampling::Stretch stretch;
    stretch.start_ns = start_ms * kMs;
    stretch.end_ns = end_ms * kMs;
    stretch.hz = 200;
    stretch.off_cpu = off_cpu;
    stretch.processes = {{10, cpu_ms * kMs}};
    samples->on_stretch(stretch);
  }
  std::vector<std::vector<uint64_t>> strip_ms(uint32_t columns) const {
    snapshot::ViewRequest request;
    request.strip.emplace().columns = columns;
    const auto view = ask(request);
    REQUIRE(view);
    auto rows = view->strip->real_ns;
    for (auto& row : rows)
      for (uint64_t& ns : row) ns = (ns + kMs / 2) / kMs;
    return rows;
  }

  std::optional<estimate::SampleStore> samples;
};

// Probes see all its operations, but those of fb were too dear from 40 to 80 ms.
struct BusyRun : SampledRun {
  BusyRun() : SampledRun(std::vector<size_t>{}) {
    for (size_t i = 0; i < 3; ++i) {
      plan.operations[i].ways.resize(2);
      plan.operations[i].ways[1].code = {{256 * (i + 1), 256}};
    }
    states = plan::OperationStates(plan);
    states.pause(1, 40 * kMs, "too dear");
    states.come_back(1, 80 * kMs, "back");
    states.busy().spans = {{40 * kMs, 80 * kMs}};
    samples.emplace(present::estimate_model_of(spec, plan));
    samples->on_image({sampling::kFirstFile, "/main", 8, 100, ""});
    for (uint64_t i = 0; i < 20; ++i) sample((i + 1) * 5 * kMs - 1, {i < 10 ? 2u : 3u, 1u});
    stretch(0, 100, true, 100);
  }
};

using Ms = std::pair<uint64_t, uint64_t>;
inline Ms in_ms(const Window& ns) { return {ns.start_ns / kMs, ns.end_ns / kMs}; }
inline Ms window_ms(const snapshot::Snapshot& s) {
  return in_ms({s.window_start_ns, s.window_end_ns});
}

using Rows = std::vector<std::vector<uint64_t>>;

}  // namespace compmond::present::test
