// SPDX-License-Identifier: Apache-2.0
#include "replay/logged_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/words.h"
#include "spec/parse.h"
#include "text/numbers.h"

namespace compmond::replay {
namespace {

Unexpected contradiction(const std::string& why) {
  return fail(Exit::kData, "the log contradicts itself", why,
              "It was not written by compmond, or somebody changed it.");
}

Result<plan::Way> planned_way(const recording::Way& logged) {
  const auto mode = from_text<spec::ExitMode>(logged.exit_mode);
  if (!mode || *mode == spec::ExitMode::kAuto)
    return contradiction(fmt::format("exit mode '{}' is none", logged.exit_mode));
  plan::Way out;
  out.engine = logged.engine;
  out.exit = *mode;
  out.site = logged.site;
  out.moved_by = logged.moved_by;
  for (const recording::Way::Range& range : logged.code)
    out.code.push_back({range.vaddr, range.size});
  out.ends_in_jump = logged.ends_in_jump;
  return out;
}

// Adds a way in which it was observed, or would have been, and what that cost.
Result<void> add_way(plan::PlannedOperation& op, const recording::Way& logged, plan::Costs& costs) {
  auto way = planned_way(logged);
  if (!way) return Unexpected(std::move(way.error()));
  costs.set(way->engine, way->site, way->exit,
            {logged.inside_ns, logged.outside_ns, logged.cheap_less_ns, logged.left_inside_less_ns,
             logged.left_outside_less_ns, logged.stay_ns});
  op.ways.push_back(std::move(*way));
  return {};
}

Result<plan::PlannedOperation> planned_operation(const recording::Operation& op,
                                                 plan::Costs& costs) {
  const auto interface = from_text<spec::Interface>(op.interface);
  if (!interface) return contradiction(fmt::format("interface '{}' is none", op.interface));
  plan::PlannedOperation out;
  out.component = op.component;
  out.name = op.name;
  out.symbol = op.symbol;
  out.demangled = op.demangled;
  out.interface = *interface;
  out.slo_ms = op.slo_ms;
  out.landmark = op.landmark;
  out.waiting = op.waiting;
  if (auto added = add_way(out, op, costs); !added) return Unexpected(std::move(added.error()));
  for (const recording::Way& next : op.next_ways)
    if (auto added = add_way(out, next, costs); !added) return Unexpected(std::move(added.error()));
  return out;
}

// Of a header's operation, or of what changed since.
template <class Logged>
plan::OperationState state_of(const Logged& logged) {
  using Status = plan::OperationState::Status;
  plan::OperationState out;
  out.status = logged.refused  ? Status::kRefused
               : logged.paused ? Status::kPaused
                               : Status::kAttached;
  out.reason = logged.reason;
  return out;
}

// As they were at that moment.
plan::Spans until(const plan::Spans& all, uint64_t moment_ns) {
  plan::Spans out;
  for (const Window& span : all)
    if (span.start_ns <= moment_ns)
      out.push_back({span.start_ns, span.end_ns > moment_ns ? UINT64_MAX : span.end_ns});
  return out;
}

// Of those that two moments know, of which the later one may have forgotten the oldest.
plan::Switches switches_until(uint64_t moment_ns, const plan::Switches& one,
                              const plan::Switches& later) {
  plan::Switches out;
  const uint64_t known_ns = one.empty() ? 0 : one.back().at_ns;
  for (const plan::Switch& old : one)
    if (old.at_ns <= moment_ns) out.add(old);
  for (const plan::Switch& fresh : later)
    if (fresh.at_ns > known_ns && fresh.at_ns <= moment_ns) out.add(fresh);
  return out;
}

// In place of that of another moment.
std::string reason_of(plan::OperationState::Status status, const plan::OperationState& then,
                      const std::string& usual, uint64_t start_ns) {
  using Status = plan::OperationState::Status;
  const auto since = [&](const plan::Spans& spans) {
    return text::moment(double(spans.back().start_ns - start_ns), 1e8);
  };
  if (status == Status::kOff) return plan::switched_off_since(since(then.off));
  if (status == Status::kPaused)
    return fmt::format("not observed since {}: too dear for --max-overhead", since(then.away));
  return usual;
}

}  // namespace

uint64_t moment_of(const recording::Header& header, const text::Moment& moment) {
  const uint64_t epoch_ns = moment.at(header.start_ns + header.realtime_less_ns);
  return epoch_ns - std::min(epoch_ns, header.realtime_less_ns);
}

Result<LoggedRun> logged_run(const recording::Header& header) {
  LoggedRun out;
  auto spec = spec::parse(header.spec_text, header.spec_path);
  if (!spec) return Unexpected(std::move(spec.error()));
  out.spec = std::move(*spec);
  if (out.spec.components.size() != header.components.size())
    return contradiction("its spec has other components than it lists");
  out.engines = header.engines;
  for (const recording::Header::Program& one : header.programs)
    out.programs.push_back({one.exe, one.build_id});
  if (out.programs.empty()) out.programs.push_back({{}, header.build_id});
  for (const recording::Operation& logged : header.operations) {
    auto op = planned_operation(logged, out.costs);
    if (!op) return Unexpected(std::move(op.error()));
    if (!logged.image.empty()) {
      op->image = int(out.plan.images.size());
      plan::PlannedImage& image = out.plan.images.emplace_back();
      image.path = logged.image;
      image.device = logged.device;
      image.inode = logged.inode;
    }
    out.plan.operations.push_back(std::move(*op));
  }
  for (const recording::Transfer& logged : header.transfers) {
    const auto kind = from_text<Transfer>(logged.kind);
    if (!kind) return contradiction(fmt::format("transfer '{}' is none", logged.kind));
    plan::Way way;
    way.engine = logged.engine;
    way.exit = spec::ExitMode::kEntryOnly;
    way.site = logged.site;
    out.costs.set(way.engine, way.site, way.exit, {0, logged.cost_ns});
    out.plan.transfers.push_back({*kind, -1, logged.symbol, {std::move(way)}});
  }
  out.states = logged_states(header.state, header, out.plan);
  return out;
}

void correct(plan::Costs& costs, const recording::State& last) {
  for (const recording::State::Correction& one : last.corrections)
    if (const auto exit = from_text<spec::ExitMode>(one.exit_mode))
      costs.correct({one.engine, one.site, *exit}, std::clamp(one.share, 0.0, 1.0));
}

plan::OperationStates logged_states(const recording::State& state, const recording::Header& header,
                                    const plan::Plan& plan) {
  plan::OperationStates out(plan);
  for (size_t i = 0; i < out.size(); ++i) out.set(i, state_of(header.operations[i]));
  for (const recording::State::Change& change : state.changes) {
    plan::OperationState now = state_of(change);
    for (const auto& [since_ns, until_ns] : change.away) now.away.push_back({since_ns, until_ns});
    if (now.away.empty() && change.away_until_ns > 0)
      now.away.push_back({change.away_since_ns, change.away_until_ns});
    for (const auto& [since_ns, until_ns] : change.unseen)
      now.unseen.push_back({since_ns, until_ns});
    for (const auto& [since_ns, until_ns] : change.off) now.off.push_back({since_ns, until_ns});
    if (!now.refused() && now.off.open()) now.status = plan::OperationState::Status::kOff;
    now.way = change.way;
    out.set(change.op, std::move(now));
  }
  for (const auto& [since_ns, until_ns] : state.busy.spans)
    out.busy().spans.push_back({since_ns, until_ns});
  for (const auto& [since_ns, until_ns] : state.busy.transfers_away)
    out.busy().transfers_away.push_back({since_ns, until_ns});
  out.busy().whole_pct = state.busy.whole_pct;
  out.busy().transfers_pct = state.busy.transfers_pct;
  out.busy().whole_calls_s = state.busy.whole_calls_s;
  out.busy().whole_calls_least_s = state.busy.whole_calls_least_s;
  out.busy().budget_pct = state.busy.budget_pct;
  out.busy().beside_ns = state.busy.beside_ns;
  for (const snapshot::Health::Switch& one : state.switches)
    out.switches().add({one.at_ns, one.on, one.what});
  return out;
}

plan::OperationStates logged_states(uint64_t moment_ns, const recording::State& state,
                                    const recording::State& last, const recording::Header& header,
                                    const plan::Plan& plan) {
  using Status = plan::OperationState::Status;
  plan::OperationStates out = logged_states(state, header, plan);
  const plan::OperationStates all = logged_states(last, header, plan);
  for (size_t i = 0; i < out.size(); ++i) {
    plan::OperationState now = out[i];
    now.unseen = until(all[i].unseen, moment_ns);
    if (now.refused() || all[i].away.empty()) {
      out.set(i, std::move(now));
      continue;
    }
    now.away = until(all[i].away, moment_ns);
    now.off = until(all[i].off, moment_ns);
    const Status then = now.off.open()    ? Status::kOff
                        : now.away.open() ? Status::kPaused
                                          : Status::kAttached;
    if (then != now.status)
      now.reason = reason_of(then, now, header.operations[i].reason, header.start_ns);
    now.status = then;
    out.set(i, std::move(now));
  }
  out.busy().spans = until(all.busy().spans, moment_ns);
  out.busy().transfers_away = until(all.busy().transfers_away, moment_ns);
  out.switches() = switches_until(moment_ns, out.switches(), all.switches());
  return out;
}

target::ObservedProcesses logged_processes(const recording::State& state) {
  std::vector<target::ObservedProcess> list;
  for (const snapshot::Target& target : state.targets) {
    target::ObservedProcess process;
    process.pid = pid_t(target.pid);
    process.exe = target.exe;
    process.name = target.name;
    process.start_ns = target.start_ns;
    process.alive = target.alive;
    process.ended_ns = target.ended_ns;
    if (target.exit_status) process.exit_status = int(*target.exit_status);
    if (target.end_signal) process.end_signal = int(*target.end_signal);
    list.push_back(std::move(process));
  }
  return {std::move(list), state.cpu_used_ns, state.targets_left_out};
}

}  // namespace compmond::replay
