// SPDX-License-Identifier: Apache-2.0
#include "present/estimated.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "present/estimated_parts.h"
#include "present/known.h"
#include "snapshot/doubt.h"
#include "text/match.h"
#include "text/numbers.h"

namespace compmond::present {
namespace {

using estimate::Estimates;
using snapshot::EvidenceKind;

// Of what no probe saw.
void put_sampled(const estimate::Figures& from, snapshot::Figures& to) {
  to = {};
  to.seen = false;
  to.estimated = said(from);
  to.evidence =
      snapshot::Evidence{EvidenceKind::kNone, EvidenceKind::kSamples, EvidenceKind::kSamples,
                         EvidenceKind::kSamples, EvidenceKind::kNone};
}

// No own time is longer than what probes saw: the raw time, or the real one. An interval that lies
// beyond it is as wide below it: that chance took too many samples makes nothing certain.
void bound(snapshot::Estimated& of, double most_ns) {
  for (const snapshot::TimeOf time :
       {&snapshot::Estimated::raw_ns, &snapshot::Estimated::net_real_ns,
        &snapshot::Estimated::cpu_ns, &snapshot::Estimated::waiting_ns}) {
    if (!(of.*time)) continue;
    snapshot::MarkedEstimate& e = *(of.*time);
    if (e.low_ns > most_ns) e.low_ns = std::max(0.0, most_ns - (e.value_ns - e.low_ns));
    if (e.value_ns >= most_ns) e.at_least = false;
    e.value_ns = std::min(e.value_ns, most_ns);
    e.high_ns = std::min(e.high_ns, most_ns);
  }
}

// Of what probes saw while some were away. Its raw time is exact where its own never were, unless
// it ran before these saw a call.
void put_busy(const estimate::Figures& from, snapshot::Figures& to) {
  to.estimated = said(from);
  const bool not_called = to.raw_ns == 0 && from.within.all.samples == 0;
  const bool exact = !to.at_least && (to.raw_ns > 0 || not_called);
  if (exact) {
    bound(*to.estimated, double(to.raw_ns));
    to.estimated->raw_ns.reset();
    if (not_called) to.estimated->net_real_ns.reset();
  }
  to.evidence = snapshot::Evidence{
      EvidenceKind::kProbes, exact ? EvidenceKind::kProbes : EvidenceKind::kSamples,
      exact && not_called ? EvidenceKind::kProbes : EvidenceKind::kSamples, EvidenceKind::kSamples,
      EvidenceKind::kProbes};
}

// Of waiting probes saw what the spec says only waits; samples may have looked at less of it.
void know_waiting(snapshot::Estimated& of, uint64_t waiting_ns, uint64_t net_real_ns) {
  const double seen_ns = double(waiting_ns);
  snapshot::MarkedEstimate& e = *of.waiting_ns;
  if (e.value_ns >= seen_ns) return;
  e = {{seen_ns, seen_ns, std::max(e.high_ns, seen_ns)}, e.at_least || waiting_ns < net_real_ns};
  if (!e.at_least) e.high_ns = seen_ns;
}

// Where a thread was, in the real time that probes saw of `seen`: no longer than that where it is
// exact.
snapshot::Estimated where_probed(const estimate::Times& own, const snapshot::Figures& seen) {
  snapshot::Estimated out = on_cpu_or_waiting(own);
  const bool exact =
      !seen.at_least && !seen.uncertain && seen.closed.lossy == 0 && seen.real_ns > 0;
  if (exact) bound(out, double(seen.real_ns));
  know_waiting(out, seen.waiting_ns, seen.net_real_ns);
  return out;
}

// Of what probes saw all the while; `real`: estimates tell its real time, as others are known by
// samples alone.
void put_probed(const estimate::Figures& from, bool real, snapshot::Figures& to) {
  to.estimated = where_probed(from.own, to);
  if (!real) return;
  to.estimated->net_real_ns = marked(from.working);
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
        of_samples_(samples_tell_times(run, window)) {}

  void fill() {
    add_operations();
    add_components();
    if (of_samples_) {
      out_.window_partial |= estimates_.coarse();
      out_.edges = edges(run_.spec, estimates_, out_.edges);
      out_.threads = threads(run_, estimates_);
      if (metric_.basis() == figures::Basis::kCalls)
        out_.health.notes.push_back(
            fmt::format("the metric '{}' needs calls, which {}: nothing is hot by it",
                        metric_.name(), what_calls_lack(out_)));
    }
    add_processes();
    out_.health.samples = samples_health(run_, estimates_);
    out_.health.history_bytes += run_.samples->store.counts().memory_bytes;
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

  void add_operations() {
    const std::vector<snapshot::Operation*> all = all_operations(run_, out_);
    for (size_t i = 0; i < all.size(); ++i)
      if (!run_.states[i].refused())
        put(estimates_.operation(int(i)), run_.way(i).sampled(), all[i]->figures);
  }

  void add_components() {
    for (size_t i = 0; i < out_.components.size(); ++i) {
      snapshot::Component& component = out_.components[i];
      if (!component.operations.empty())
        put(estimates_.component(int(i)), sampled_[i], component.figures);
      if (sampled_[i] && component.status == snapshot::Status::kAttached)
        component.status = snapshot::Status::kSampled;
      const estimate::Figures within = estimates_.subtree(int(i));
      if (of_samples_ && !busy_) component.subtree = {0, 0, 0, false};
      const snapshot::Figures seen = figures_within(out_.components, component);
      if (!of_samples_) {
        component.subtree.estimated = where_probed(within.own, seen);
        continue;
      }
      component.subtree.estimated = said(within);
      if (busy_)
        bound_group(component);
      else
        know_waiting(*component.subtree.estimated, seen.waiting_ns, component.subtree.net_real_ns);
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

  // Of a busy run: by what its parts took with all that they called, where probes saw all of that.
  void bound_group(snapshot::Component& group) const {
    double most_ns = 0;
    for (const snapshot::Component& part : out_.components) {
      if (!text::inside(part.name, group.name) || part.operations.empty()) continue;
      if (part.figures.at_least || !part.figures.seen) return;
      most_ns += double(part.figures.raw_ns);
    }
    if (most_ns > 0) bound(*group.subtree.estimated, most_ns);
  }

  void add_processes() {
    const std::vector<estimate::ProcessTimes> all = estimates_.processes();
    // Of too many, some of the time of each may be with the others.
    if (std::ranges::count(all, estimate::Key::kOthers, &estimate::ProcessTimes::pid) > 0) return;
    for (const estimate::ProcessTimes& process : all) {
      const auto target =
          std::ranges::find(out_.targets, int64_t(process.pid), &snapshot::Target::pid);
      if (target != out_.targets.end()) target->estimated = on_cpu_or_waiting(process.times);
    }
  }

  const RunParts& run_;
  const Estimates& estimates_;
  const figures::Metric& metric_;
  snapshot::Snapshot& out_;
  std::vector<bool> sampled_;  // per component
  bool busy_;                  // probes were away for a part of the window
  bool of_samples_;            // they say what calls what, and when threads worked
};

// Of what probes saw while some were away, and no samples tell it.
void doubt_times(const RunParts& run, Window window, snapshot::Snapshot& out) {
  const auto doubt = [](snapshot::Figures& f) { f.uncertain |= f.seen && f.real_ns > 0; };
  const std::vector<size_t> away = missed_in(run, window);
  for (snapshot::Component& component : out.components) {
    doubt(component.figures);
    for (snapshot::Operation& operation : component.operations) doubt(operation.figures);
  }
  out.health.notes.push_back(fmt::format(
      "probes of {} of {} operations were {} and all there for {} of the window: what they did not "
      "see is in the times of its callers, and missing in its own, so all real times are "
      "uncertain. "
      "{}",
      away.size(), run.states.observed(), off_in(run, window) ? "switched off" : "too dear",
      text::whole_percent(100 * observed_share(run, away, window)),
      run.samples ? "Samples tell times as soon as they are known"
                  : "Samples tell times: --samples 99"));
}

}  // namespace

void add_estimates(const RunParts& run, Window window, const figures::Metric& metric,
                   const Estimates* estimates, snapshot::Snapshot& out) {
  if (!estimates) {
    if (metric.basis() == figures::Basis::kSamples)
      out.health.notes.push_back(
          fmt::format("the metric '{}' needs samples, and none are taken: nothing is hot by it",
                      metric.name()));
  } else {
    Filler(run, *estimates, window, metric, out).fill();
  }
  if (probes_away(run, window) && !busy_in(run, window)) doubt_times(run, window, out);
}

}  // namespace compmond::present
