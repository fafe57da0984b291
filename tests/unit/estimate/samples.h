// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>
#include <vector>

#include "estimate/sample_store.h"

// Samples of a program in which operation i is component i, alone in the image kFirstFile at
// (i + 1) · 256.
namespace compmond::estimate::samples {

constexpr uint64_t kMs = 1'000'000, kSecond = 1000 * kMs;

inline Model flat_model(int operations) {
  Model out;
  for (int op = 0; op < operations; ++op) {
    out.parent_of.push_back(-1);
    out.operations.push_back({op, 8, 100, "ab", {{uint64_t(op + 1) * 256, 256}}});
  }
  return out;
}

inline sampling::Frame frame_of(int op) {
  return {sampling::kFirstFile, uint64_t(op + 1) * 256 + 4};
}

struct Fed {
  explicit Fed(int operations, SampleStore::Options options = {})
      : Fed(flat_model(operations), options) {}
  explicit Fed(Model model, SampleStore::Options options = {}) : store(std::move(model), options) {
    store.on_image({sampling::kFirstFile, "/main", 8, 100, "ab"});
  }
  // Operations innermost first; none: elsewhere.
  void on(uint64_t time_ns, const std::vector<int>& stack, uint32_t tid = 1,
          sampling::Ended ended = sampling::Ended::kComplete) {
    sampling::Sample sample;
    sample.ended = ended;
    sample.pid = 1;
    sample.tid = tid;
    sample.time_ns = time_ns;
    sample.in_probe = in_probe;
    put(sample, stack);
  }
  // Came back at that time, taken in proportion to its length above or below a period.
  void off(uint64_t time_ns, const std::vector<int>& stack, uint64_t off_ns, uint64_t weight_ns,
           uint64_t runnable_ns = 0) {
    sampling::Sample sample;
    sample.kind = sampling::Sample::Kind::kOffCpu;
    sample.pid = sample.tid = 1;
    sample.time_ns = time_ns;
    sample.off_ns = off_ns;
    sample.runnable_ns = runnable_ns;
    sample.weight_ns = weight_ns;
    put(sample, stack);
  }
  void stretch(uint64_t start_ns, uint64_t end_ns, double hz, uint64_t cpu_ns,
               uint64_t off_cpu_period_ns = 5 * kMs) {
    sampling::Stretch stretch;
    stretch.start_ns = start_ns;
    stretch.end_ns = end_ns;
    stretch.hz = hz;
    stretch.off_cpu = off_cpu_period_ns > 0;
    stretch.off_cpu_period_ns = off_cpu_period_ns;
    stretch.sees_probes = sees_probes;
    if (cpu_ns) stretch.processes = {{1, cpu_ns}};
    store.on_stretch(stretch);
  }

  SampleStore store;
  bool in_probe = false, sees_probes = false;  // of what is told next

 private:
  void put(sampling::Sample& sample, const std::vector<int>& stack) {
    std::vector<sampling::Frame> frames;
    for (const int op : stack) frames.push_back(frame_of(op));
    sample.frames = frames;
    store.on_sample(sample);
  }
};

}  // namespace compmond::estimate::samples
