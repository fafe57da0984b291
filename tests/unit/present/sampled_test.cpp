// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "estimate/sample_store.h"
#include "present/estimated.h"
#include "small_run.h"

using namespace compmond;
using namespace compmond::present::test;

namespace {

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
    for (uint64_t i = 0; i < 20; ++i) {
      sampling::Sample sample;
      sample.pid = 10;
      sample.tid = 11;
      sample.time_ns = (i + 1) * 5 * kMs - 1;
      const sampling::Frame frame{sampling::kFirstFile, 256 * (i < 10 ? 1u : 3u) + 4};
      sample.frames = {&frame, 1};
      samples->on_sample(sample);
    }
    sampling::Stretch stretch;
    stretch.end_ns = 100 * kMs;
    stretch.hz = 200;
    stretch.off_cpu = true;
    stretch.processes = {{10, 100 * kMs}};
    samples->on_stretch(stretch);
  }
  Result<snapshot::View> ask(const snapshot::ViewRequest& request) const {
    present::RunParts parts = this->parts();
    parts.samples.emplace(present::RunSamples{*samples, 200});
    return answer_view(parts, request, {}, analyst);
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

using Rows = std::vector<std::vector<uint64_t>>;

}  // namespace

TEST_CASE("sampled: the strip of a run without probes shows where its samples were") {
  CHECK(SampledRun({0, 1, 2}).strip_ms(4) == Rows{{25, 25, 0, 0}, {0, 0, 0, 0}, {0, 0, 25, 25}});
}

TEST_CASE("sampled: components that probes see keep what these saw in the strip") {
  const Rows seen = SampledRun({}).strip_ms(4);
  const Rows mixed = SampledRun({2}).strip_ms(4);
  CHECK(mixed[0] == seen[0]);
  CHECK(mixed[1] == seen[1]);
  CHECK(seen[2] == std::vector<uint64_t>{0, 0, 5, 25});
  CHECK(mixed[2] == std::vector<uint64_t>{0, 0, 25, 25});
}

TEST_CASE("sampled: which components rest on samples is a matter of their operations' ways") {
  const SampledRun run({0, 2});
  CHECK(present::sampled_components(run.parts()) == std::vector<bool>(3));  // it takes none
  present::RunParts parts = run.parts();
  parts.samples.emplace(present::RunSamples{*run.samples, 200});
  CHECK(present::sampled_components(parts) == std::vector<bool>{true, false, true});
}
