// SPDX-License-Identifier: Apache-2.0
#include "present/estimated.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "present/known.h"
#include "text/numbers.h"

namespace compmond::present {
namespace {

using estimate::Estimates;
using snapshot::EvidenceKind;

constexpr size_t kImagesElsewhere = 12;  // more than anybody looks at

// Of what is seen by probes, and of threads, samples tell what these cannot: on a CPU or waiting.
snapshot::Estimated on_cpu_or_waiting(const estimate::Times& own) {
  snapshot::Estimated out;
  out.cpu_ns = estimate_of(own.on_cpu);
  out.waiting_ns = estimate_of(own.off_cpu);
  out.waiting_at_least = own.off_cpu.at_least;
  out.cpu_at_least = own.on_cpu.at_least;
  out.samples = own.all.samples;
  out.own_samples = own.all.samples;
  return out;
}

snapshot::Estimated said(const estimate::Figures& f) {
  snapshot::Estimated out = on_cpu_or_waiting(f.own);
  out.net_real_ns = estimate_of(f.own.all);
  out.net_real_at_least = f.own.all.at_least;
  out.raw_ns = estimate_of(f.within.all);
  out.raw_at_least = f.within.all.at_least;
  out.samples = f.within.all.samples;
  return out;
}

// Of what no probe saw.
void put_sampled(const estimate::Figures& from, snapshot::Figures& to) {
  const double hotness = to.hotness;
  to = {};
  to.hotness = hotness;
  to.seen = false;
  to.estimated = said(from);
  to.evidence =
      snapshot::Evidence{EvidenceKind::kNone, EvidenceKind::kSamples, EvidenceKind::kSamples,
                         EvidenceKind::kSamples, EvidenceKind::kNone};
}

// Of what probes saw while some were away. Its raw time is exact where its own never were.
void put_busy(const estimate::Figures& from, snapshot::Figures& to) {
  to.estimated = said(from);
  if (!to.at_least) to.estimated->raw_ns.reset();
  to.evidence = snapshot::Evidence{
      EvidenceKind::kProbes, to.at_least ? EvidenceKind::kSamples : EvidenceKind::kProbes,
      EvidenceKind::kSamples, EvidenceKind::kSamples, EvidenceKind::kProbes};
}

// Of what probes saw all the while; `ranks`: estimates rank it, as others are known by samples
// alone.
void put_probed(const estimate::Figures& from, bool ranks, snapshot::Figures& to) {
  to.estimated = on_cpu_or_waiting(from.own);
  if (!ranks) return;
  to.estimated->net_real_ns = estimate_of(from.own.all);
  to.estimated->net_real_at_least = from.own.all.at_least;
}

figures::Figures ranked(const estimate::Figures& f) {
  figures::Figures out;
  out.sampled = true;
  out.net_real_ns = uint64_t(f.own.all.value_ns);
  out.cpu_ns = uint64_t(f.own.on_cpu.value_ns);
  return out;
}

// What a view shows of all components when one of them rests on samples, or they were seen in part:
// comparable values.
std::vector<double> hotness(const figures::Metric& metric,
                            const std::vector<estimate::Figures>& of) {
  std::vector<figures::Figures> figures;
  for (const estimate::Figures& f : of) figures.push_back(ranked(f));
  return metric.basis() == figures::Basis::kCalls ? std::vector<double>(of.size())
                                                  : metric.hotness(figures);
}

class Filler {
 public:
  Filler(const RunParts& run, const Estimates& estimates, Window window,
         const figures::Metric& metric, snapshot::Snapshot& out)
      : run_(run),
        estimates_(estimates),
        metric_(metric),
        out_(out),
        sampled_(sampled_components(run)),
        busy_(busy_in(run, window)),
        of_samples_(samples_tell_times(run, window)),
        ranks_(of_samples_ || metric.basis() == figures::Basis::kSamples) {}

  void fill() {
    add_operations();
    add_components();
    if (of_samples_) {
      add_edges();
      add_threads();
      if (metric_.basis() == figures::Basis::kCalls)
        out_.health.notes.push_back(
            fmt::format("the metric '{}' needs calls, which {}: nothing is hot by it",
                        metric_.name(), what_calls_lack(out_)));
    }
    if (busy_) say_busy();
    add_health();
  }

 private:
  void put(const estimate::Figures& from, bool sampled, snapshot::Figures& to) const {
    if (sampled)
      put_sampled(from, to);
    else if (busy_)
      put_busy(from, to);
    else
      put_probed(from, of_samples_, to);
  }

  // Those of the snapshot, as the plan numbers them.
  std::vector<snapshot::Operation*> operations() {
    std::vector<size_t> next(out_.components.size());  // of each component's
    std::vector<snapshot::Operation*> all;
    for (const plan::PlannedOperation& op : run_.plan.operations) {
      const auto component = size_t(op.component);
      all.push_back(&out_.components[component].operations[next[component]++]);
    }
    return all;
  }

  void add_operations() {
    const std::vector<snapshot::Operation*> all = operations();
    std::vector<estimate::Figures> figures;
    for (size_t i = 0; i < all.size(); ++i) {
      figures.push_back(estimates_.operation(int(i)));
      if (run_.states[i].refused()) continue;
      put(figures[i], run_.way(i).sampled(), all[i]->figures);
    }
    if (!ranks_) return;
    const std::vector<double> hot = hotness(metric_, figures);
    for (size_t i = 0; i < all.size(); ++i) all[i]->figures.hotness = hot[i];
  }

  void add_components() {
    std::vector<estimate::Figures> figures;
    for (size_t i = 0; i < out_.components.size(); ++i)
      figures.push_back(estimates_.component(int(i)));
    const std::vector<double> hot = hotness(metric_, figures);
    for (size_t i = 0; i < out_.components.size(); ++i) {
      snapshot::Component& component = out_.components[i];
      if (ranks_) component.figures.hotness = hot[i];
      if (!component.operations.empty()) put(figures[i], sampled_[i], component.figures);
      if (sampled_[i] && component.status == snapshot::Status::kAttached)
        component.status = snapshot::Status::kSampled;
      if (!of_samples_) continue;
      component.subtree.estimated = said(estimates_.subtree(int(i)));
      if (!busy_) component.subtree = {0, 0, 0, false, component.subtree.estimated};
    }
    if (!of_samples_) return;
    // One without operations of its own is as those inside it.
    for (size_t i = out_.components.size(); i-- > 0;) {
      const int parent = run_.spec.components[i].parent;
      if (parent < 0 || !out_.components[size_t(parent)].operations.empty()) continue;
      if (out_.components[i].status == snapshot::Status::kSampled &&
          out_.components[size_t(parent)].status == snapshot::Status::kAttached)
        out_.components[size_t(parent)].status = snapshot::Status::kSampled;
    }
  }

  void say_busy() {
    size_t all = 0;
    std::vector<size_t> away;
    const Window window{out_.window_start_ns, out_.window_end_ns};
    for (const snapshot::Component& component : out_.components)
      for (const snapshot::Operation& operation : component.operations)
        all += operation.figures.seen && operation.exit_mode != snapshot::ExitMode::kRefused;
    for (size_t i = 0; i < run_.states.size(); ++i)
      if (observed_share(run_, {i}, window) < 1) away.push_back(i);
    out_.health.notes.push_back(fmt::format(
        "busy: the probes of {} of {} operations cost more than --max-overhead allows "
        "and were all there for {} of the window, so all times are estimated from samples, and "
        "calls are those that were seen. All calls, at the target's cost: --max-overhead off",
        away.size(), all, text::whole_percent(100 * observed_share(run_, away, window))));
  }

  const std::string& path(int component) const {
    return run_.spec.components[size_t(component)].path;
  }

  // Instead of those that probes saw.
  void add_edges() {
    std::vector<snapshot::Edge> declared = std::move(out_.edges);
    std::erase_if(declared, [](const snapshot::Edge& edge) { return !edge.declared; });
    out_.edges.clear();
    for (const estimate::Edge& edge : estimates_.edges()) {
      if (edge.from == estimate::Key::kUnknown) continue;  // its caller was cut off the stack
      snapshot::Edge& e = out_.edges.emplace_back();
      if (edge.from != estimate::Key::kBottom) e.from = path(int(edge.from));
      e.to = path(int(edge.to));
      e.seen = false;
      e.estimated.emplace();
      e.estimated->raw_ns = estimate_of(edge.times.all);
      e.estimated->raw_at_least = edge.times.all.at_least;
      e.estimated->samples = edge.times.all.samples;
    }
    for (const snapshot::Edge& one : declared) {
      const auto found = std::ranges::find_if(out_.edges, [&](const snapshot::Edge& e) {
        return e.from == one.from && e.to == one.to;
      });
      if (found != out_.edges.end()) {
        found->declared = true;
        continue;
      }
      snapshot::Edge& e = out_.edges.emplace_back(one);
      e.count = e.raw_ns = 0;
      e.seen = false;
    }
  }

  void add_threads() {
    out_.threads.clear();
    for (const estimate::ThreadTimes& thread : estimates_.threads()) {
      snapshot::Thread& t = out_.threads.emplace_back();
      t.pid = thread.pid;
      t.tid = thread.tid;
      t.seen = false;
      t.estimated = on_cpu_or_waiting(thread.times);
    }
  }

  void add_health() {
    const estimate::Totals& totals = estimates_.totals();
    const estimate::Times elsewhere = estimates_.all_elsewhere();
    snapshot::SamplesHealth& to = out_.health.samples.emplace();
    out_.health.history_bytes += run_.samples->store.counts().memory_bytes;
    to.hz = run_.samples->hz;
    to.taken = totals.samples.on_samples + totals.samples.off_samples;
    to.lost = totals.lost;
    to.truncated = totals.on_truncated + totals.off_truncated;
    to.broken = totals.on_broken + totals.off_broken;
    to.elsewhere = elsewhere.all.samples;
    to.off_cpu_share = estimates_.off_cpu_share();
    to.known_until_ns = samples_known_ns(run_);
    to.elsewhere_cpu_ns = estimate_of(elsewhere.on_cpu);
    to.elsewhere_waiting_ns = estimate_of(elsewhere.off_cpu);
    to.cpu_ns = double(totals.cpu_ns + totals.unsampled_cpu_ns);
    to.waiting_ns = double(totals.samples.off_ns());
    to.elsewhere_by_image = elsewhere_by_image();
  }

  std::vector<snapshot::SamplesHealth::Elsewhere> elsewhere_by_image() const {
    auto all = estimates_.elsewhere();
    std::erase_if(all, [](const auto& one) { return one.image == estimate::Key::kOthers; });
    std::ranges::stable_sort(all, std::greater<>(),
                             [](const auto& one) { return one.times.all.value_ns; });
    all.resize(std::min(all.size(), kImagesElsewhere));
    std::vector<snapshot::SamplesHealth::Elsewhere> out;
    for (const auto& [image, times] : all)
      out.push_back({run_.samples->store.path_of(image), estimate_of(times.on_cpu),
                     estimate_of(times.off_cpu)});
    return out;
  }

  const RunParts& run_;
  const Estimates& estimates_;
  const figures::Metric& metric_;
  snapshot::Snapshot& out_;
  std::vector<bool> sampled_;  // per component
  bool busy_;                  // probes were away for a part of the window
  bool of_samples_;            // they say what calls what, and when threads worked
  bool ranks_;                 // and what is hot, of all of them
};

}  // namespace

snapshot::Estimate estimate_of(const estimate::Estimate& e) {
  return {e.value_ns, e.low_ns, e.high_ns};
}

estimate::Model estimate_model_of(const spec::Spec& spec, const plan::Plan& plan) {
  estimate::Model out;
  for (const plan::PlannedOperation& op : plan.operations) {
    estimate::Model::Operation& to = out.operations.emplace_back();
    to.component = op.component;
    if (op.image >= 0) {
      to.device = plan.images[size_t(op.image)].device;
      to.inode = plan.images[size_t(op.image)].inode;
    }
    const auto way = std::ranges::find_if(op.ways, &plan::Way::sampled);
    if (way == op.ways.end()) continue;
    for (const elf::Image::Range& range : way->code) to.ranges.push_back({range.vaddr, range.size});
  }
  for (const spec::Component& component : spec.components)
    out.parent_of.push_back(component.parent);
  return out;
}

void add_estimates(const RunParts& run, Window window, const figures::Metric& metric,
                   snapshot::Snapshot& out) {
  if (!run.samples) {
    if (metric.basis() == figures::Basis::kSamples)
      out.health.notes.push_back(
          fmt::format("the metric '{}' needs samples, and none are taken: nothing is hot by it",
                      metric.name()));
    if (probes_away(run, window))
      out.health.notes.push_back(
          "probes were too dear and away for a part of the window: what they did not see is in the "
          "times of its callers, and missing in its own. Samples tell times: --samples 99");
    return;
  }
  const Estimates estimates(run.samples->store, window);
  Filler(run, estimates, window, metric, out).fill();
}

}  // namespace compmond::present
