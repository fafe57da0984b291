// SPDX-License-Identifier: Apache-2.0
#include "run/budgeter.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "budget/forecast.h"
#include "text/numbers.h"

namespace compmond::run {
namespace {

// Work that a target loses when probes are hung or taken away: it runs on, but waits for its
// memory. Measured on servers with 40 operations: 0.5 to 2.6 ms and 2.6 to 7.2 ms.
constexpr uint64_t kChangeNs = 3'000'000;
// It is charged over that time, so that a change does not call for the next one.
constexpr double kChargedOverNs = 1e10;

}  // namespace

Budgeter::Budgeter(Parts parts, double percent, std::vector<bool> see_all, uint64_t start_ns)
    : parts_(std::move(parts)),
      percent_(percent),
      start_ns_(start_ns),
      rehanger_({parts_.states, parts_.placement, parts_.notes, parts_.changes, parts_.clock,
                 [this] { charge_change(); }}),
      watch_(percent, see_all),
      transfers_(percent),
      see_all_(std::move(see_all)),
      stays_with_probes_(parts_.plan.operations.size()),
      looked_ns_(start_ns),
      cpu_ns_(parts_.cpu_ns()),  // they ran while they were read and probes were placed
      samples_ns_(parts_.samples_ns()),
      counts_{{std::vector<uint64_t>(parts_.plan.operations.size()),
               std::vector<uint64_t>(parts_.plan.operations.size()),
               std::vector<uint64_t>(parts_.plan.operations.size())},
              {}} {}

std::vector<Seen::Load> Budgeter::loads(const pipeline::Counts& counts) const {
  std::vector<Seen::Load> out(counts.calls.size());
  const double each = of_each_told(counts);
  for (size_t i = 0; i < out.size(); ++i) {
    const plan::Way& way = plan::way_of(parts_.plan, parts_.states, i);
    const plan::Cost cost = parts_.costs.at(way);
    out[i].patched = way.writes_code();
    out[i].calls = counts.calls[i] - counts_.calls[i];
    const uint64_t cheap = counts.cheap_exits[i] - counts_.cheap_exits[i];
    const uint64_t stays = counts.stays[i] - counts_.stays[i];
    out[i].cost_ns =
        std::max(0.0, double(out[i].calls) * cost.total_ns() - double(cheap) * cost.cheap_less_ns) +
        double(stays) * cost.stay_ns;
    out[i].calls = uint64_t(double(out[i].calls) * each);
    out[i].cost_ns *= each;
  }
  return out;
}

// So many calls there were for each that was told of: those whose records were lost cost as much.
double Budgeter::of_each_told(const pipeline::Counts& counts) const {
  const auto told = double(counts.delivered - counts_.delivered);
  return told > 0 ? 1 + double(counts.lost - counts_.lost) / told : 1;
}

// Their time is not the targets', but costs as much. What they pay in slices, for what is away, is
// charged to these.
void Budgeter::add_strangers(std::vector<Seen::Load>& loads) {
  plan::Strangers now = parts_.strangers();
  for (size_t i = 0; i < now.calls.size(); ++i) {
    if (!parts_.states[i].attached()) continue;
    loads[i].strangers = now.calls_since(i, strangers_);
    loads[i].calls += loads[i].strangers;
    loads[i].cost_ns += now.cost_since_ns(i, strangers_);
  }
  strangers_ = std::move(now);
}

double Budgeter::transfers_ns(const pipeline::Counts& counts) const {
  uint64_t since[kTransfers];
  for (size_t kind = 0; kind < kTransfers; ++kind)
    since[kind] = counts.transfers[kind] - counts_.transfers[kind];
  return plan::transfers_ns(parts_.plan, parts_.costs, since);
}

// Since the last look; the next is from then on.
Seen Budgeter::seen(uint64_t now_ns, uint64_t cpu_ns) {
  Seen out;
  pipeline::Counts counts = parts_.counts();
  out.loads = loads(counts);
  add_strangers(out.loads);
  out.transfers_ns = transfers_ns(counts);
  counts_ = std::move(counts);
  const uint64_t samples_ns = parts_.samples_ns();
  out.cpu_ns = double(cpu_ns - std::exchange(cpu_ns_, cpu_ns));
  out.wall_ns = double(now_ns - std::exchange(looked_ns_, now_ns));
  const double charged_ns = uncharged_ns_ * std::min(1.0, out.wall_ns / kChargedOverNs);
  uncharged_ns_ -= charged_ns;
  // What transfers take above their share is no reason for operations to go: they do themselves.
  const double transfers_ns =
      std::min(out.transfers_ns, kTransferShare * percent_ / 100 * out.cpu_ns);
  out.beside_ns =
      double(samples_ns - std::exchange(samples_ns_, samples_ns)) + charged_ns + transfers_ns;
  parts_.states.busy().beside_ns = samples_ns + changes_ns_;
  left_pct_ = percent_ - out.cost_pct();
  return out;
}

void Budgeter::charge_change() {
  changes_ns_ += kChangeNs;
  uncharged_ns_ += double(kChangeNs);
}

// Not in what a look sees: slices take what is left, and are no reason for more to go.
void Budgeter::charge(double ns) { changes_ns_ += uint64_t(ns); }

void Budgeter::look(uint64_t now_ns) {
  const Seen seen = this->seen(now_ns, parts_.cpu_ns());
  foresee(seen);
  keep_transfers(seen, now_ns);
  const BusyWatch::Decision decision = watch_.look(
      seen, parts_.states, false, now_ns, {parts_.all_fit(), parts_.away_pct(away(false))});
  carry_out(decision, {}, seen, now_ns);
  const bool any_off = std::ranges::any_of(parts_.states, &plan::OperationState::is_off);
  const auto away_pct = parts_.away_pct(away(true));
  if (away_pct && !any_off && decision.take_away.empty())  // else what was seen has it, too
    parts_.states.busy().whole_pct = std::min(100.0, *away_pct + seen.cost_pct());
  if (decision.try_all) try_all(now_ns);
  see_again(decision.bring_back);
}

// Before the look changes what is there. While somebody switched some off, nobody knows of these.
void Budgeter::foresee(const Seen& seen) {
  Observed observed{!transfers_.away() && !parts_.states.switches().all_off(), {}};
  if (std::ranges::none_of(parts_.states, &plan::OperationState::is_off))
    observed.away_per_ns = parts_.away_per_ns(away(true));
  run::foresee(seen, observed, parts_.states.busy());
  parts_.states.busy().budget_pct = percent_;
}

// Or those of them that must see every call.
std::vector<bool> Budgeter::away(bool all) const {
  std::vector<bool> out;
  for (size_t i = 0; i < parts_.states.size(); ++i)
    out.push_back(parts_.states[i].paused() && (all || see_all_[i]));
  return out;
}

// Without them, the ends of what exceptions and jumps leave are known within bounds.
void Budgeter::keep_transfers(const Seen& seen, uint64_t now_ns) {
  using Decision = TransferBudget::Decision;
  const Decision decision = transfers_.look(seen, now_ns);
  if (decision == Decision::kNothing) return;
  const bool back = decision == Decision::kBringBack;
  parts_.placement.watch_transfers(back);
  charge_change();
  plan::Spans& away = parts_.states.busy().transfers_away;
  back ? away.end_at(parts_.clock()) : away.begin_at(now_ns);
  parts_.notes.add(
      fmt::format("{} since {}",
                  back ? "exceptions and jumps are watched again"
                       : "exceptions and jumps are so many that watching them is too dear: what "
                         "they leave ends within bounds (!)",
                  since_start(now_ns)));
}

// Of those that are there, whom an alarm means: those that are tried, else all that may go.
Budgeter::Operations Budgeter::suspects() const {
  Operations out;
  for (size_t i = 0; i < parts_.states.size(); ++i)
    if (const plan::Way& way = plan::way_of(parts_.plan, parts_.states, i);
        parts_.states[i].attached() && !see_all_[i] && !way.writes_code() &&
        parts_.costs.at(way).total_ns() > 0 &&
        (!watch_.tries() || std::ranges::find(tried_, i) != tried_.end()))
      out.push_back(i);
  return out;
}

void Budgeter::alarm() {
  Operations back;
  // Hits end when taking away begins; afterwards the target runs free.
  const uint64_t begin = parts_.clock(), cpu_ns = parts_.cpu_ns();
  Operations gone = rehanger_.take_away_first(suspects(), begin);
  const Seen seen = this->seen(begin, cpu_ns);
  foresee(seen);
  const BusyWatch::Decision decision = watch_.look(seen, parts_.states, true, begin);
  for (const size_t i : gone)
    if (std::ranges::find(decision.take_away, i) == decision.take_away.end()) back.push_back(i);
  rehanger_.bring_back_rest(back, begin);
  std::erase_if(gone, [&](size_t i) { return std::ranges::find(back, i) != back.end(); });
  carry_out(decision, gone, seen, begin);
}

// `gone`: what is away by now, since then. Of an alarm, the others that go are those that must see
// every call, cost too much, and did until now.
void Budgeter::carry_out(const BusyWatch::Decision& decision, const Operations& gone,
                         const Seen& seen, uint64_t now_ns) {
  Operations went, more;
  for (const size_t i : with_those_worth_it(decision.take_away, seen))
    (std::ranges::find(gone, i) == gone.end() ? more : went).push_back(i);
  const uint64_t more_gone_ns = more.empty() ? now_ns : rehanger_.take_away(more);
  went = change_over(went, seen, now_ns);
  more = change_over(more, seen, more_gone_ns);
  Operations away = went;
  away.insert(away.end(), more.begin(), more.end());
  note(decision, away, now_ns);
  pause(went, seen, now_ns);
  pause(more, seen, more_gone_ns);
}

void Budgeter::note(const BusyWatch::Decision& decision, const Operations& away, uint64_t now_ns) {
  plan::OperationStates& states = parts_.states;
  if (decision.whole) states.busy().spans.end_at(now_ns);
  if (away.empty()) return;
  states.busy().spans.begin_at(now_ns);
  if (decision.whole_pct > 0) states.busy().whole_pct = decision.whole_pct;
  Operations unseen = decision.unseen;
  std::erase_if(unseen, [&](size_t i) { return std::ranges::count(away, i) == 0; });
  say_not_all_seen(unseen, now_ns);
}

// Why its probes go.
std::string Budgeter::too_dear(size_t operation, const Seen& seen) const {
  const auto per_second = [&](uint64_t calls) { return double(calls) / seen.wall_ns * 1e9; };
  const Seen::Load& load = seen.loads[operation];
  return fmt::format(
      "its {:.0f} calls per second{}, slowed by probes, cost more than --max-overhead {:g}",
      per_second(load.calls),
      load.strangers == 0
          ? ""
          : fmt::format(" ({:.0f} of processes that are not observed)", per_second(load.strangers)),
      percent_);
}

void Budgeter::pause(const Operations& operations, const Seen& seen, uint64_t since_ns) {
  for (const size_t i : operations)
    parts_.states.pause(
        i, since_ns,
        fmt::format("not observed since {}: {}", since_start(since_ns), too_dear(i, seen)));
}

void Budgeter::try_all(uint64_t now_ns) {
  plan::OperationStates& states = parts_.states;
  tried_.clear();
  for (size_t i = 0; i < states.size(); ++i)
    if (states[i].paused()) tried_.push_back(i);
  if (!parts_.room(tried_)) return watch_.put_off(now_ns);
  const uint64_t now = rehanger_.bring_back(tried_);
  for (const size_t i : tried_)
    states.come_back(i, now, "observed again since " + since_start(now));
  seen(now, parts_.cpu_ns());  // the try begins
}

void Budgeter::see_again(const Operations& operations) {
  if (operations.empty() || !parts_.room(operations)) return;
  const uint64_t now = rehanger_.bring_back(operations);
  for (const size_t i : operations)
    parts_.states.come_back(i, now, "observed again since " + since_start(now));
}

std::string Budgeter::since_start(uint64_t now_ns) const {
  return text::moment(double(now_ns - start_ns_), 1e8);
}

void Budgeter::say_not_all_seen(const Operations& unseen, uint64_t now_ns) {
  if (unseen.empty() || std::exchange(said_, true)) return;
  constexpr size_t kNamed = 3;
  std::string names;
  for (size_t i = 0; i < std::min(unseen.size(), kNamed); ++i)
    names += (i == 0 ? "" : ", ") + parts_.plan.operations[unseen[i]].name;
  if (unseen.size() > kNamed) names += fmt::format(" and {} more", unseen.size() - kNamed);
  parts_.notes.add(
      fmt::format("what must see every call (landmarks, contexts, objectives under --exit-on-slo) "
                  "takes more than half of --max-overhead {:g}, or most of a thread's time: since "
                  "{} it is observed in slices like the rest, and calls between them, with what "
                  "they missed, are not seen: {}. See every call: --max-overhead off",
                  percent_, since_start(now_ns), names));
}

}  // namespace compmond::run
