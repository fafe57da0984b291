// SPDX-License-Identifier: Apache-2.0
#include "run/input_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "text/numbers.h"

namespace compmond::run {
namespace {

constexpr double kOfInputs = 0.2;           // of the budget, that counting inputs may take
constexpr double kOfReceives = 0.4;         // likewise what receives beside may
constexpr double kLeastBudget = 0.01;       // of one CPU, whatever the targets use
constexpr uint64_t kLearn = 1'000'000'000;  // so often it is looked what counting costs
constexpr double kMostSlowed = 0.5;
// Of the calls in some time, that could not be looked at: a count is never nearer than a hundredth.
constexpr double kMostMissed = 1e-3;
// What a look costs a program that does something between two calls of the system, of what it costs
// in a loop without anything else, at most: nginx was slowed by 6 to 7.4 % where that said 1.5.
constexpr double kInSitu = 5;

counts::Inputs difference(const engine::Inputs& before, const engine::Inputs& after) {
  counts::Inputs out;
  static_assert(engine::Inputs::kStrata == counts::kStrata);
  for (size_t h = 0; h < counts::kStrata; ++h) {
    out.descriptor[h] = double(after.descriptor[h] - before.descriptor[h]);
    out.size[h] = double(after.size[h] - before.size[h]);
  }
  return out;
}

}  // namespace

InputSide::InputSide(Parts parts, double budget, uint64_t seed)
    : parts_(std::move(parts)), budget_(budget), plan_(seed) {}

Result<void> InputSide::begin() {
  auto counting = parts_.captures.count_inputs();
  if (!counting) return Unexpected(counting.error());
  if (!*counting)
    return fail(Exit::kUnavailable, "what the targets read is not counted",
                "no engine that is used here does");
  counting_ = std::move(*counting);
  learned_cpu_ns_ = parts_.cpu_ns();
  read_ = counting_->read();
  taken_ns_ = learned_ns_ = monotonic_ns();
  parts_.times.begin(taken_ns_);
  if (parts_.log) parts_.log->begin_inputs(taken_ns_);
  on_ = true;
  part_ = Part::kCounted;
  until_ns_ = taken_ns_ + kLearn;
  return {};
}

void InputSide::end() {
  if (!counting_) return;
  take(on_ ? part_ : Part::kNot);
  counting_.reset();
  on_ = slice_ = false;
}

void InputSide::take(Part part) {
  const engine::Inputs now = counting_->read();
  const uint64_t now_ns = monotonic_ns();
  const auto calls = double(now.calls - read_.calls);
  const auto receives = double(now.receives - read_.receives);
  const auto others = double(now.others - read_.others);
  const bool lacks = double(now.missed - read_.missed) > kMostMissed * (calls + receives + others);
  std::optional<double> received;
  if (now.receiving != 0 && now.receiving == read_.receiving && !lacks)
    received = double(now.received - read_.received);
  if (part == Part::kNot || lacks)
    tell(now_ns, {.part = Part::kNot, .received = received});
  else
    tell(now_ns, {part, difference(read_, now), slowed_, received});
  const double ns = double(now_ns - taken_ns_);
  if (part == Part::kNot)  // while counting began
    begun_ns_ += calls * now.call_ns;
  else
    calls_.add(calls, now.call_ns, ns);
  receives_.add(receives, now.receive_ns, now.receiving != 0 || part != Part::kNot ? ns : 0);
  receives_.add(others, now.other_ns, 0);
  read_ = now;
  taken_ns_ = now_ns;
}

void InputSide::tell(uint64_t until_ns, const counts::InputTimes::Seen& seen) {
  parts_.times.add(until_ns, seen);
  if (parts_.log) parts_.log->add_inputs(until_ns, seen);
}

Result<void> InputSide::turn_on(Part part) {
  if (auto on = counting_->on(); !on) return on;
  take(Part::kNot);
  on_ = true;
  part_ = part;
  return {};
}

void InputSide::turn_off() {
  take(part_);
  counting_->off();
  read_.receiving = counting_->read().receiving;
  on_ = false;
}

Result<void> InputSide::look(uint64_t now_ns, bool hold) {
  if (!counting_) return {};
  if (auto looked = look_at_windows(now_ns, hold); !looked) return looked;
  return learn(now_ns);
}

Result<void> InputSide::look_at_windows(uint64_t now_ns, bool hold) {
  if (hold) window_ns_ = std::max(window_ns_, now_ns + CountingPlan::kAfter);
  const bool all = plan_.always() || hold;
  if (!on_) take(Part::kNot);
  if (on_ && (all || part_ == Part::kCounted)) take(part_);
  if (all) part_ = Part::kCounted;
  if (plan_.always()) return on_ ? Result<void>() : turn_on(Part::kCounted);
  if (!on_) {
    if (now_ns < window_ns_) return {};
    until_ns_ = now_ns + CountingPlan::kWindow;
    return turn_on(Part::kSample);
  }
  if (slice_ || now_ns < until_ns_) return {};
  turn_off();
  window_ns_ = std::max(window_ns_, taken_ns_ + plan_.pause_ns());
  return {};
}

Result<void> InputSide::learn(uint64_t now_ns) {
  if (now_ns < learned_ns_ + kLearn || calls_.of_ns <= 0) return {};
  const uint64_t cpu_ns = parts_.cpu_ns();
  const auto used_ns = double(cpu_ns - std::exchange(learned_cpu_ns_, cpu_ns));
  const double cores = used_ns / double(now_ns - std::exchange(learned_ns_, now_ns));
  const Looked calls = std::exchange(calls_, {}), receives = std::exchange(receives_, {});
  const double taken = calls.cost_ns + receives.cost_ns + std::exchange(begun_ns_, 0.0);
  parts_.charge(taken);
  share_ = taken / std::max(used_ns, 1.0);
  const bool received = read_.receiving != 0;  // all the time, that is
  const double always = received ? receives.costs() : 0;
  const double costs = calls.costs() + receives.costs() - always;
  const double all = std::max(budget_ * cores, kLeastBudget);
  slowed_ = std::min(kMostSlowed, kInSitu * costs / std::max(cores, kLeastBudget));
  if (on_ && !slice_ && counting_->would_change()) return change_how();
  if (always > kOfReceives * all) {
    counting_->spare_receives();
    read_.receiving = counting_->read().receiving;
  }
  plan_.learn(costs, kOfInputs * all, received);
  if (!plan_.too_dear()) return {};
  end();
  return fail(
      Exit::kUnavailable, "what the targets read is not counted",
      fmt::format("all the time it would take {:.1f} % of a CPU ({} calls of the system "
                  "and {} receives a second that are looked at, by all processes, {:.0f} "
                  "and {:.0f} ns each), in a small part of the time still too much of the "
                  "budget",
                  100 * (always + costs), text::count(uint64_t(1e9 * calls.rate())),
                  text::count(uint64_t(1e9 * receives.rate())), read_.call_ns, read_.receive_ns));
}

// In a moment in which nothing is counted. What it cost so far tells nothing of what it will.
Result<void> InputSide::change_how() {
  turn_off();
  return turn_on(part_);
}

uint64_t InputSide::next_ns() const {
  if (!counting_ || plan_.always() || slice_) return UINT64_MAX;
  return on_ ? until_ns_ : window_ns_;
}

Result<bool> InputSide::slice_comes() {
  if (!counting_ || std::exchange(slice_, true)) return false;
  if (on_) {
    take(part_);
    part_ = Part::kCounted;
    return false;
  }
  if (auto on = turn_on(Part::kCounted); !on) return Unexpected(on.error());
  return true;
}

void InputSide::slice_over() {
  slice_ = false;
  const uint64_t now_ns = monotonic_ns();
  until_ns_ = now_ns + plan_.settle_ns();
  window_ns_ = std::max(window_ns_, now_ns + CountingPlan::kAfter);
}

}  // namespace compmond::run
