// SPDX-License-Identifier: Apache-2.0
#include "estimate/estimates.h"

#include <algorithm>

namespace compmond::estimate {

Times times_of(const Sums& sums, const Totals& totals, Hidden hidden) {
  Times out;
  out.on_cpu = on_cpu(sums, totals, hidden);
  out.off_cpu = off_cpu(sums, totals, Wait::kAll, hidden);
  out.blocked = off_cpu(sums, totals, Wait::kBlocked, hidden);
  out.runnable = off_cpu(sums, totals, Wait::kRunnable, hidden);
  out.all = sum(out.on_cpu, out.off_cpu);
  return out;
}

void nest(Times& part, Times& whole) {
  for (const auto time :
       {&Times::on_cpu, &Times::off_cpu, &Times::blocked, &Times::runnable, &Times::all})
    nest(part.*time, whole.*time);
}

namespace {

// What was cut may belong to an operation all the same.
Times elsewhere_of(const Sums& sums, const Totals& totals) {
  Times out = times_of(sums, totals);
  const auto allow = [](Estimate& e, double cut_ns) {
    e.low_ns = std::max(0.0, e.low_ns - cut_ns);
  };
  allow(out.on_cpu, double(sums.on_cut_ns));
  allow(out.off_cpu, double(sums.off_cut_ns));
  out.all = sum(out.on_cpu, out.off_cpu);
  return out;
}

}  // namespace

Estimates::Any::Any(const Model& model, bool Model::Operation::*are)
    : own(model.parent_of.size()), within(model.parent_of.size()) {
  for (const Model::Operation& operation : model.operations) {
    if (!(operation.*are)) continue;
    own[size_t(operation.component)] = true;
    for (int c = operation.component; c >= 0; c = model.parent_of[size_t(c)])
      within[size_t(c)] = true;
  }
}

Estimates::Estimates(const SampleStore& store, Window window)
    : store_(store),
      jumps_(store.model(), &Model::Operation::ends_in_jump),
      waits_(store.model(), &Model::Operation::waits),
      sums_(store.sums(window)),
      innermost_(hidden_innermost(sums_.of(Key(Kind::kElsewhere, Key::kAll)))) {}

double Estimates::off_cpu_share() const {
  const Totals& t = sums_.totals;
  return t.time_ns ? double(t.off_time_ns) / double(t.time_ns) : 0;
}

Times Estimates::times(Key key, Hidden hidden) const {
  return times_of(sums_.of(key), sums_.totals, hidden);
}

Figures Estimates::figures(Key own, Key within, bool jumps) const {
  Figures out{times(own, innermost_),
              times(within, hidden_callers(sums_.of(within), sums_.totals, jumps))};
  nest(out.own, out.within);
  out.working = out.own.all;
  return out;
}

Estimate Estimates::working(int component, bool with_inner) const {
  const Model& model = store_.model();
  const auto inside = [&](int at) {
    while (with_inner && at >= 0 && at != component) at = model.parent_of[size_t(at)];
    return at == component;
  };
  Sums sums;
  bool any = false;
  for (size_t op = 0; op < model.operations.size(); ++op)
    if (!model.operations[op].waits && inside(model.operations[op].component)) {
      sums += sums_.of(Key(Kind::kOperationOwn, uint32_t(op)));
      any = true;
    }
  return any ? times_of(sums, sums_.totals, innermost_).all : Estimate();
}

Figures Estimates::operation(int operation) const {
  const Model::Operation& of = store_.model().operations[size_t(operation)];
  Figures out = figures(Key(Kind::kOperationOwn, uint32_t(operation)),
                        Key(Kind::kOperationWithin, uint32_t(operation)), of.ends_in_jump);
  if (of.waits) out.working = {};
  return out;
}

Figures Estimates::component(int component) const {
  const auto at = size_t(component);
  Figures out = figures(Key(Kind::kComponentOwn, uint32_t(component)),
                        Key(Kind::kComponentWithin, uint32_t(component)), jumps_.own[at]);
  if (waits_.own[at]) out.working = working(component, false);
  return out;
}

Figures Estimates::subtree(int component) const {
  if (!store_.contains_others(component)) return this->component(component);
  const auto at = size_t(component);
  Figures out = figures(Key(Kind::kSubtreeOwn, uint32_t(component)),
                        Key(Kind::kSubtreeWithin, uint32_t(component)), jumps_.within[at]);
  if (waits_.within[at]) out.working = working(component, true);
  return out;
}

std::vector<Key> Estimates::keys(Kind kind) const {
  std::vector<Key> out;
  for (const auto& [key, sums] : sums_.rows)
    if (key.kind() == kind) out.push_back(key);
  std::ranges::sort(out);
  return out;
}

std::vector<Edge> Estimates::edges() const {
  const auto jumps = [&](uint32_t component) {
    return component < jumps_.own.size() && jumps_.own[component];
  };
  std::vector<Edge> out;
  for (const Key key : keys(Kind::kEdge)) {
    const Hidden hidden =
        hidden_callers(sums_.of(key), sums_.totals, jumps(key.a()) || jumps(key.b()));
    out.push_back({key.a(), key.b(), times(key, hidden)});
  }
  return out;
}

std::vector<ThreadTimes> Estimates::threads() const {
  std::vector<ThreadTimes> out;
  for (const Key key : keys(Kind::kThread)) out.push_back({key.a(), key.b(), times(key)});
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
    Times times = this->times(Key(Kind::kProcess, pid));
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
    if (key.a() != Key::kAll) out.push_back({key.a(), elsewhere_of(sums_.of(key), sums_.totals)});
  return out;
}

Times Estimates::all_elsewhere() const {
  return elsewhere_of(sums_.of(Key(Kind::kElsewhere, Key::kAll)), sums_.totals);
}

Times Estimates::whole() const {
  Times out = times_of(sums_.totals.samples, sums_.totals);
  const double cpu = double(sums_.totals.cpu_ns);
  out.on_cpu = exact(cpu, out.on_cpu.samples);
  out.all = sum(out.on_cpu, out.off_cpu);
  return out;
}

std::optional<Estimate> Estimates::in_probes() const {
  if (sums_.totals.probes_time_ns == 0) return std::nullopt;
  return on_cpu(sums_.of(Key(Kind::kInProbe, Key::kAll)), sums_.totals, {});
}

}  // namespace compmond::estimate
