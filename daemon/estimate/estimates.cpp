// SPDX-License-Identifier: Apache-2.0
#include "estimate/estimates.h"

#include <algorithm>

namespace compmond::estimate {

Times times_of(const Sums& sums, const Totals& totals, Cut cut) {
  Times out;
  out.on_cpu = on_cpu(sums, totals, cut);
  out.off_cpu = off_cpu(sums, totals, Wait::kAll, cut);
  out.blocked = off_cpu(sums, totals, Wait::kBlocked, cut);
  out.runnable = off_cpu(sums, totals, Wait::kRunnable, cut);
  out.all = sum(out.on_cpu, out.off_cpu);
  return out;
}

Estimates::Estimates(const SampleStore& store, Window window)
    : store_(store), sums_(store.sums(window)) {}

double Estimates::off_cpu_share() const {
  const Totals& t = sums_.totals;
  return t.time_ns ? double(t.off_time_ns) / double(t.time_ns) : 0;
}

Times Estimates::times(Key key, Cut cut) const {
  return times_of(sums_.of(key), sums_.totals, cut);
}

Figures Estimates::operation(int operation) const {
  return {times(Key(Kind::kOperationOwn, uint32_t(operation)), Cut::kNoMatter),
          times(Key(Kind::kOperationWithin, uint32_t(operation)), Cut::kHides)};
}

Figures Estimates::component(int component) const {
  return {times(Key(Kind::kComponentOwn, uint32_t(component)), Cut::kNoMatter),
          times(Key(Kind::kComponentWithin, uint32_t(component)), Cut::kHides)};
}

Figures Estimates::subtree(int component) const {
  if (!store_.contains_others(component)) return this->component(component);
  return {times(Key(Kind::kSubtreeOwn, uint32_t(component)), Cut::kNoMatter),
          times(Key(Kind::kSubtreeWithin, uint32_t(component)), Cut::kHides)};
}

std::vector<Key> Estimates::keys(Kind kind) const {
  std::vector<Key> out;
  for (const auto& [key, sums] : sums_.rows)
    if (key.kind() == kind) out.push_back(key);
  std::ranges::sort(out);
  return out;
}

std::vector<Edge> Estimates::pairs(Kind kind) const {
  std::vector<Edge> out;
  for (const Key key : keys(kind)) out.push_back({key.a(), key.b(), times(key, Cut::kHides)});
  return out;
}

std::vector<Edge> Estimates::edges() const { return pairs(Kind::kEdge); }
std::vector<Edge> Estimates::calls() const { return pairs(Kind::kCall); }

std::vector<ThreadTimes> Estimates::threads() const {
  std::vector<ThreadTimes> out;
  for (const Key key : keys(Kind::kThread))
    out.push_back({key.a(), key.b(), times(key, Cut::kNoMatter)});
  return out;
}

std::vector<ProcessTimes> Estimates::processes() const {
  std::vector<uint32_t> pids;
  for (const Kind kind : {Kind::kProcess, Kind::kProcessCpu})
    for (const Key key : keys(kind)) pids.push_back(key.a());
  std::ranges::sort(pids);
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  std::vector<ProcessTimes> out;
  for (const uint32_t pid : pids) {
    Times times = this->times(Key(Kind::kProcess, pid), Cut::kNoMatter);
    const double cpu = double(sums_.of(Key(Kind::kProcessCpu, pid)).on_ns);
    times.on_cpu = exact(cpu, times.on_cpu.samples);
    times.all = sum(times.on_cpu, times.off_cpu);
    out.push_back({pid, times});
  }
  return out;
}

std::vector<ImageTimes> Estimates::elsewhere() const {
  std::vector<ImageTimes> out;
  for (const Key key : keys(Kind::kElsewhere))
    if (key.a() != Key::kAll) out.push_back({key.a(), times(key, Cut::kNoMatter)});
  return out;
}

Times Estimates::all_elsewhere() const {
  return times(Key(Kind::kElsewhere, Key::kAll), Cut::kNoMatter);
}

Times Estimates::whole() const {
  Times out = times_of(sums_.totals.samples, sums_.totals, Cut::kNoMatter);
  const double cpu = double(sums_.totals.cpu_ns);
  out.on_cpu = exact(cpu, out.on_cpu.samples);
  out.all = sum(out.on_cpu, out.off_cpu);
  return out;
}

}  // namespace compmond::estimate
