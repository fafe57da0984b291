// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "export/exports.h"

namespace compmond::exporting {
namespace {

using snapshot::Component;
using snapshot::Estimated;
using snapshot::ExitMode;
using snapshot::Figures;
using snapshot::MarkedEstimate;
using snapshot::Operation;
using snapshot::TimeOf;

constexpr const char* kTitles =
    "component,operation,interface,exit_mode,calls,open,raw_ns,real_ns,net_real_ns,mean_ns,"
    "min_ns,max_ns,p50_ns,p90_ns,p99_ns,hotness,returned,abandoned,thread_exit,exec,lossy,"
    "status,engine,at_least,uncertain,observed_share,samples,own_samples,"
    "cpu_ns,cpu_low_ns,cpu_high_ns,waiting_ns,waiting_low_ns,waiting_high_ns,waiting_at_least,"
    "estimated_net_real_ns,estimated_net_real_low_ns,estimated_net_real_high_ns,"
    "estimated_net_real_at_least,"
    "estimated_raw_ns,estimated_raw_low_ns,estimated_raw_high_ns,estimated_raw_at_least,"
    "marked_waiting_ns\n";

// What could be seen of a row's calls.
struct Seen {
  bool calls = true, ends = true;
};

Seen seen(const Component& component) {
  return {component.figures.seen && component.status != snapshot::Status::kRefused,
          !only_counted(component)};
}

Seen seen(const Operation& operation) {
  return {operation.figures.seen && operation.exit_mode != ExitMode::kRefused,
          operation.exit_mode != ExitMode::kEntryOnly};
}

// The cells of one row; what is not known is empty.
class Cells {
 public:
  explicit Cells(Out& out) : out_(out) {}

  void figures(const Figures& f, Seen seen) {
    const bool timed = seen.calls && seen.ends;
    for (const uint64_t count : {f.calls, f.open}) cell(seen.calls, count);
    for (const uint64_t ns : {f.raw_ns, f.real_ns, f.net_real_ns}) cell(timed, ns);
    const bool ended = f.closed.all() > 0 || f.sliced;
    for (const uint64_t ns : {f.mean_ns, f.min_ns, f.max_ns, f.p50_ns, f.p90_ns, f.p99_ns})
      cell(timed && ended, ns);
    out_.format(",{:.3f}", f.hotness);
    for (const uint64_t count : {f.closed.returned, f.closed.abandoned, f.closed.thread_exit,
                                 f.closed.exec, f.closed.lossy})
      cell(timed, count);
  }

  void marks(const Figures& f, Seen seen) {
    cell(seen.calls, uint64_t(f.at_least));
    cell(seen.calls && seen.ends, uint64_t(f.uncertain));
    out_.put(",");
    if (seen.calls) out_.format("{:.4g}", f.observed_share.value_or(1));
  }

  // Part of the net real time.
  void marked_waiting(const Figures& f, Seen seen) { cell(seen.calls && seen.ends, f.waiting_ns); }

  void estimates(const std::optional<Estimated>& of) {
    const Estimated e = of.value_or(Estimated());
    cell(of.has_value(), e.samples);
    cell(of.has_value(), e.own_samples.value_or(e.samples));
    estimate(e.cpu_ns);
    for (const TimeOf time :
         {&Estimated::waiting_ns, &Estimated::net_real_ns, &Estimated::raw_ns}) {
      estimate(e.*time);
      cell((e.*time).has_value(), uint64_t(at_least(e, time)));
    }
  }

 private:
  void cell(bool known, uint64_t value) {
    out_.put(",");
    if (known) out_.format("{}", value);
  }
  void estimate(const std::optional<MarkedEstimate>& e) {
    if (e)
      out_.format(",{:.0f},{:.0f},{:.0f}", e->value_ns, e->low_ns, e->high_ns);
    else
      out_.put(",,,");
  }

  Out& out_;
};

}  // namespace

Result<void> write_csv(const snapshot::Snapshot& snapshot, Out& out) {
  out.put(kTitles);
  Cells cells(out);
  for (const Component& component : snapshot.components) {
    // The component's own line has no operation.
    out.format("{},,,", csv_field(component.name));
    cells.figures(component.figures, seen(component));
    out.format(",{},", component.status.text());
    cells.marks(component.figures, seen(component));
    cells.estimates(component.figures.estimated);
    cells.marked_waiting(component.figures, seen(component));
    out.put("\n");
    for (const Operation& operation : component.operations) {
      out.format("{},{},{},{}", csv_field(component.name), csv_field(operation.name),
                 operation.interface.text(), operation.exit_mode.text());
      cells.figures(operation.figures, seen(operation));
      out.format(",,{}", csv_field(operation.engine));
      cells.marks(operation.figures, seen(operation));
      cells.estimates(operation.figures.estimated);
      cells.marked_waiting(operation.figures, seen(operation));
      out.put("\n");
    }
  }
  return {};
}

}  // namespace compmond::exporting
