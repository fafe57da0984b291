// SPDX-License-Identifier: Apache-2.0
#include "run_log/log_values.h"

#include <sys/random.h>
#include <time.h>

#include <utility>

#include "base/clock.h"
#include "machine/host.h"

namespace compmond::run {
namespace {

std::string random_name() {
  uint64_t number = 0;
  if (::getrandom(&number, sizeof number, GRND_NONBLOCK) != ssize_t(sizeof number))
    number = monotonic_ns();
  return fmt::format("{:016x}", number);
}

// Of some readings the one that took least: whoever is interrupted between the two clocks would be
// off by ms, and logs of one host are compared by these times.
uint64_t realtime_less_monotonic() {
  constexpr int kReadings = 16;
  uint64_t best = 0, least = UINT64_MAX;
  for (int i = 0; i < kReadings; ++i) {
    timespec ts{};
    const uint64_t before = monotonic_ns();
    ::clock_gettime(CLOCK_REALTIME, &ts);
    const uint64_t took = monotonic_ns() - before;
    if (took >= least) continue;
    least = took;
    best = ns_of(ts) - before - took / 2;
  }
  return best;
}

recording::Way log_way(const plan::Way& way, const plan::Costs& costs) {
  const plan::Cost cost = costs.measured(way);
  recording::Way out;
  out.exit_mode = to_text(way.exit);
  out.engine = way.engine;
  out.site = way.site;
  out.moved_by = way.moved_by;
  out.inside_ns = cost.inside_ns;
  out.outside_ns = cost.outside_ns;
  out.cheap_less_ns = cost.cheap_less_ns;
  out.left_inside_less_ns = cost.left_inside_less_ns;
  out.left_outside_less_ns = cost.left_outside_less_ns;
  out.stay_ns = cost.stay_ns;
  for (const elf::Image::Range& range : way.code) out.code.push_back({range.vaddr, range.size});
  out.ends_in_jump = way.ends_in_jump;
  return out;
}

// In the order in which the log has them: that in use, what follows when it is refused, and what
// comes back to it, as when a library is loaded.
std::vector<size_t> ways_from(const plan::PlannedOperation& op, size_t first) {
  std::vector<size_t> out;
  for (size_t i = first; i < op.ways.size(); ++i) out.push_back(i);
  for (size_t i = 0; i < first; ++i)
    if (!op.ways[i].refused) out.push_back(i);
  return out;
}

bool is(const recording::Way& logged, const plan::Way& way) {
  return logged.engine == way.engine && logged.exit_mode == to_text(way.exit) &&
         logged.site == way.site && logged.moved_by == way.moved_by;
}

// Likewise, as the header was written.
std::vector<size_t> ways_of(const recording::Operation& logged, const plan::PlannedOperation& op) {
  for (size_t first = 0; first < op.ways.size(); ++first) {
    std::vector<size_t> out = ways_from(op, first);
    bool same = out.size() == logged.next_ways.size() + 1 && is(logged, op.ways[first]);
    for (size_t i = 1; same && i < out.size(); ++i)
      same = is(logged.next_ways[i - 1], op.ways[out[i]]);
    if (same) return out;
  }
  return ways_from(op, 0);
}

recording::Operation log_operation(const plan::Plan& plan, const plan::OperationStates& states,
                                   size_t index, const plan::Costs& costs) {
  const plan::PlannedOperation& op = plan.operations[index];
  recording::Operation out;
  static_cast<recording::Way&>(out) = log_way(plan::way_of(plan, states, index), costs);
  for (const size_t way : ways_from(op, states[index].way))
    if (way != states[index].way) out.next_ways.push_back(log_way(op.ways[way], costs));
  out.component = op.component;
  out.name = op.name;
  out.symbol = op.symbol;
  out.demangled = op.demangled;
  if (op.image >= 0) {
    const plan::PlannedImage& image = plan.images[size_t(op.image)];
    out.image = image.path;
    out.device = image.device;
    out.inode = image.inode;
  }
  out.interface = to_text(op.interface);
  out.slo_ms = op.slo_ms;
  out.landmark = op.landmark;
  out.waiting = op.waiting;
  out.refused = states[index].refused();
  out.paused = states[index].paused();
  out.reason = states[index].reason;
  return out;
}

recording::Transfer log_transfer(const plan::Plan& plan, const plan::PlannedTransfer& transfer,
                                 const plan::Costs& costs) {
  recording::Transfer out;
  out.kind = to_text(transfer.kind);
  out.symbol = transfer.symbol;
  out.image = plan.images[size_t(transfer.image)].path;
  if (const plan::Way* way = plan::watched_by(transfer)) {
    out.engine = way->engine;
    out.site = way->site;
    out.cost_ns = costs.at(*way).total_ns();
  }
  return out;
}

}  // namespace

recording::Header log_header(const spec::Spec& spec, const plan::Plan& plan,
                             const plan::OperationStates& states, const plan::Costs& costs,
                             std::vector<snapshot::Health::Engine> engines) {
  recording::Header out;
  out.version = COMPMOND_VERSION;
  out.run = random_name();
  out.spec_name = spec.name;
  out.spec_path = spec.path;
  out.spec_text = spec.text;
  for (const spec::Component& component : spec.components)
    out.components.push_back({component.path, component.parent});
  for (const spec::Connection& connection : spec.connections)
    out.connections.push_back({connection.from, connection.to});
  for (size_t i = 0; i < plan.operations.size(); ++i)
    out.operations.push_back(log_operation(plan, states, i, costs));
  for (const plan::PlannedTransfer& transfer : plan.transfers)
    out.transfers.push_back(log_transfer(plan, transfer, costs));
  out.host = present::this_host();
  out.engines = std::move(engines);
  out.realtime_less_ns = realtime_less_monotonic();
  return out;
}

std::vector<snapshot::Health::Engine> engines_of(const engine::Captures& captures) {
  std::vector<snapshot::Health::Engine> out;
  for (const engine::Captures::AtWork& one : captures.at_work())
    out.push_back({one.traits.name, one.attach, one.traits.writes_target});
  return out;
}

std::optional<snapshot::Health::Strangers> strangers_of(const plan::Strangers& told,
                                                        const plan::Plan& plan,
                                                        uint64_t cpu_used_ns) {
  if (told.all_calls() == 0) return std::nullopt;
  snapshot::Health::Strangers out;
  out.calls = told.all_calls();
  out.processes = told.processes;
  out.processes_at_least = told.more;
  out.cost_ns = told.all_cost_ns();
  if (cpu_used_ns > 0) out.cost_pct = 100 * out.cost_ns / double(cpu_used_ns);
  out.files = plan::files_of(told, plan);
  return out;
}

recording::State log_state(const recording::Header& header, const plan::Plan& plan,
                           const plan::OperationStates& states,
                           const target::ObservedProcesses& processes, const plan::Costs& costs,
                           std::span<const target::Program> programs,
                           const std::vector<std::string>& notes,
                           std::optional<snapshot::Health::Strangers> strangers) {
  recording::State out;
  for (const target::ObservedProcess& process : processes.all())
    out.targets.push_back(present::target_of(process, programs));
  out.targets_left_out = processes.forgotten();
  out.cpu_used_ns = processes.cpu_used_ns();
  out.notes = notes;
  out.strangers = std::move(strangers);
  for (const Window& span : states.busy().spans)
    out.busy.spans.push_back({span.start_ns, span.end_ns});
  out.busy.whole_pct = states.busy().whole_pct;
  out.busy.transfers_pct = states.busy().transfers_pct;
  out.busy.whole_calls_s = states.busy().whole_calls_s;
  out.busy.whole_calls_least_s = states.busy().whole_calls_least_s;
  for (const Window& span : states.busy().transfers_away)
    out.busy.transfers_away.push_back({span.start_ns, span.end_ns});
  out.busy.budget_pct = states.busy().budget_pct;
  out.busy.beside_ns = states.busy().beside_ns;
  for (const plan::Switch& one : states.switches())
    out.switches.push_back({one.at_ns, one.on, one.what});
  for (const auto& [which, share] : costs.corrections()) {
    const auto& [engine, site, exit] = which;
    out.corrections.push_back({engine, site, std::string(to_text(exit)), share});
  }
  for (size_t i = 0; i < states.size(); ++i) {
    const plan::OperationState& now = states[i];
    const recording::Operation& then = header.operations[i];
    const std::vector<size_t> ways = ways_of(then, plan.operations[i]);
    if (now.refused() == then.refused && now.paused() == then.paused && now.reason == then.reason &&
        now.away.empty() && now.unseen.empty() && now.way == ways.front())
      continue;
    recording::State::Change& change = out.changes.emplace_back();
    change.op = uint32_t(i);
    change.refused = now.refused();
    change.paused = now.paused();
    change.reason = now.reason;
    change.way = uint32_t(std::ranges::find(ways, now.way) - ways.begin());
    for (const Window& span : now.away) change.away.push_back({span.start_ns, span.end_ns});
    for (const Window& span : now.off) change.off.push_back({span.start_ns, span.end_ns});
    for (const Window& span : now.unseen) change.unseen.push_back({span.start_ns, span.end_ns});
    if (now.away.empty()) continue;
    change.away_since_ns = now.away.front().start_ns;
    change.away_until_ns = now.away.back().end_ns;
  }
  return out;
}

}  // namespace compmond::run
