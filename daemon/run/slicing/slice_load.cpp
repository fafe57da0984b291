// SPDX-License-Identifier: Apache-2.0
#include "slicing/slice_load.h"

#include <algorithm>
#include <map>

namespace compmond::run {
namespace {

constexpr double kMatters = 0.1;  // of the CPU time: threads with less do not count

using Used = std::map<ThreadTimes::key_type, double>;

// The clock of a process that had other threads before tells their time as well.
Used used_in(const SliceFrame& slice) {
  const auto length = double(slice.window.length());
  Used out;
  for (const auto& [thread, ns] : slice.after) {
    const auto found = slice.before.find(thread);
    const uint64_t before = found == slice.before.end() ? 0 : std::min(found->second, ns);
    out[thread] = std::min(double(ns - before), length);
  }
  return out;
}

}  // namespace

SliceLoad load_of(const SliceFrame& slice, std::span<const pipeline::SliceThread> callers,
                  const Loads& loads) {
  const size_t operations = slice.attached.size();
  Used used = used_in(slice);
  SliceLoad out{.seen = {.cpu_ns = 0,
                         .attached = slice.attached,
                         .calls = std::vector<uint64_t>(operations),
                         .worst_per_s = std::vector<double>(operations),
                         .see = slice.see},
                .threads = {}};
  for (const auto& [thread, ns] : used) out.seen.cpu_ns += ns;
  for (const pipeline::SliceThread& thread : callers) {
    const auto found = used.find({thread.pid, thread.tid});
    counts::ThreadLoad of{found == used.end() ? double(slice.window.length()) : found->second, 0};
    const bool matters = of.cpu_ns > kMatters * out.seen.cpu_ns && of.cpu_ns > 0;
    for (size_t i = 0; i < operations; ++i) {
      of.probes_ns += double(thread.calls[i]) * loads.cost_ns(i, slice.see);
      out.seen.calls[i] += thread.calls[i];
      if (matters)
        out.seen.worst_per_s[i] =
            std::max(out.seen.worst_per_s[i], double(thread.calls[i]) / of.cpu_ns * 1e9);
    }
    out.probes_ns += std::min(of.probes_ns, of.cpu_ns);
    if (found != used.end()) used.erase(found);
    out.threads.push_back(of);
  }
  for (const auto& [thread, ns] : used) out.threads.push_back({ns, 0});
  return out;
}

}  // namespace compmond::run
