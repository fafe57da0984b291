// SPDX-License-Identifier: Apache-2.0
#include "present/estimated_parts.h"

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <utility>

#include "present/known.h"

namespace compmond::present {
namespace {

using estimate::Estimates;

constexpr size_t kImagesElsewhere = 12;  // more than anybody looks at

std::vector<snapshot::SamplesHealth::Elsewhere> elsewhere_by_image(const RunParts& run,
                                                                   const Estimates& estimates) {
  auto all = estimates.elsewhere();
  std::erase_if(all, [](const auto& one) { return one.image == estimate::Key::kOthers; });
  std::ranges::stable_sort(all, std::greater<>(),
                           [](const auto& one) { return one.times.all.value_ns; });
  all.resize(std::min(all.size(), kImagesElsewhere));
  std::vector<snapshot::SamplesHealth::Elsewhere> out;
  for (const auto& [image, times] : all)
    out.push_back(
        {run.samples->store.path_of(image), estimate_of(times.on_cpu), estimate_of(times.off_cpu)});
  return out;
}

}  // namespace

std::vector<snapshot::Operation*> all_operations(const RunParts& run, snapshot::Snapshot& of) {
  std::vector<size_t> next(of.components.size());
  std::vector<snapshot::Operation*> all;
  for (const plan::PlannedOperation& op : run.plan.operations) {
    const auto component = size_t(op.component);
    all.push_back(&of.components[component].operations[next[component]++]);
  }
  return all;
}

snapshot::Estimate estimate_of(const estimate::Estimate& e) {
  return {e.value_ns, e.low_ns, e.high_ns};
}

snapshot::MarkedEstimate marked(const estimate::Estimate& e) {
  return {estimate_of(e), e.at_least};
}

snapshot::Estimated on_cpu_or_waiting(const estimate::Times& own) {
  snapshot::Estimated out;
  out.cpu_ns = marked(own.on_cpu);
  out.waiting_ns = marked(own.off_cpu);
  out.samples = own.all.samples;
  out.own_samples = own.all.samples;
  if (!own.runnable.below && own.runnable.value_ns > 0) out.runnable_ns = estimate_of(own.runnable);
  return out;
}

snapshot::Estimated said(const estimate::Figures& f) {
  snapshot::Estimated out = on_cpu_or_waiting(f.own);
  out.net_real_ns = marked(f.working);
  out.raw_ns = marked(f.within.all);
  out.samples = f.within.all.samples;
  return out;
}

std::vector<snapshot::Edge> edges(const spec::Spec& spec, const Estimates& estimates,
                                  const std::vector<snapshot::Edge>& seen) {
  const auto path = [&](uint32_t component) { return spec.components[component].path; };
  std::vector<snapshot::Edge> out;
  for (const estimate::Edge& edge : estimates.edges()) {
    snapshot::Edge& e = out.emplace_back();
    e.unknown = edge.from == estimate::Key::kUnknown;
    if (!e.unknown && edge.from != estimate::Key::kBottom) e.from = path(edge.from);
    e.to = path(edge.to);
    e.seen = false;
    e.estimated.emplace();
    e.estimated->raw_ns = marked(edge.times.all);
    e.estimated->samples = edge.times.all.samples;
  }
  for (const snapshot::Edge& one : seen) {
    if (!one.declared) continue;
    const auto found = std::ranges::find_if(
        out, [&](const snapshot::Edge& e) { return e.from == one.from && e.to == one.to; });
    if (found != out.end()) {
      found->declared = true;
      continue;
    }
    snapshot::Edge& e = out.emplace_back(one);
    e.count = e.raw_ns = 0;
    e.seen = false;
  }
  return out;
}

std::vector<snapshot::Thread> threads(const RunParts& run, const Estimates& estimates) {
  std::map<std::pair<int64_t, int64_t>, std::string_view> names;
  for (const history::ThreadTotals& thread : run.checkpoint.threads)
    names[{thread.info.pid, thread.info.tid}] = thread.info.name;
  std::vector<snapshot::Thread> out;
  for (const estimate::ThreadTimes& thread : estimates.threads()) {
    if (thread.pid == estimate::Key::kOthers) continue;
    snapshot::Thread& t = out.emplace_back();
    t.pid = thread.pid;
    t.tid = thread.tid;
    t.name = names[{t.pid, t.tid}];
    t.seen = false;
    t.estimated = on_cpu_or_waiting(thread.times);
  }
  return out;
}

snapshot::SamplesHealth samples_health(const RunParts& run, const Estimates& estimates) {
  const estimate::Totals& totals = estimates.totals();
  const estimate::Times elsewhere = estimates.all_elsewhere();
  snapshot::SamplesHealth out;
  out.hz = run.samples->hz;
  out.taken = totals.samples.on_samples + totals.samples.off_samples;
  out.lost = totals.lost;
  out.truncated = totals.on_truncated + totals.off_truncated;
  out.broken = totals.on_broken + totals.off_broken;
  out.elsewhere = elsewhere.all.samples;
  out.off_cpu_share = estimates.off_cpu_share();
  out.known_until_ns = samples_known_ns(run);
  out.elsewhere_cpu_ns = estimate_of(elsewhere.on_cpu);
  out.elsewhere_waiting_ns = estimate_of(elsewhere.off_cpu);
  if (const auto in_probes = estimates.in_probes()) out.probes_cpu_ns = estimate_of(*in_probes);
  out.cpu_ns = double(totals.cpu_ns + totals.unsampled_cpu_ns);
  out.waiting_ns = double(totals.samples.off_ns());
  out.elsewhere_by_image = elsewhere_by_image(run, estimates);
  return out;
}

}  // namespace compmond::present
