// SPDX-License-Identifier: Apache-2.0
#include "run/slicer.h"

#include <fmt/format.h>
#include <sys/timerfd.h>

#include <algorithm>
#include <utility>

#include "base/clock.h"
#include "slicing/slice_load.h"

namespace compmond::run {

using plan::See;

namespace {

// CPU time that probes take from their targets when they come and go, whatever they see, and what
// is made of a slice, where no CPU is spare. Measured on two full CPUs: of nginx 8 ms, of
// PostgreSQL 11.
constexpr double kLostPerSliceNs = 10e6;
constexpr uint64_t kFirstNs = 5'000'000;  // of a slice: queues still fill
constexpr double kLeastLeft = 0.2;        // of the budget: slices come, however seldom
constexpr double kSpare = 0.8;            // of the budget: then all fit
constexpr uint32_t kKnown = 12;           // slices before that is told
constexpr double kNewest = 0.3;           // of what strangers pay in a slice, the last one's part
constexpr uint64_t kSlowNs = 20'000'000;  // probes must come sooner, or there is little left of it
constexpr uint32_t kTooSlow = 5;          // so often one after the other
constexpr uint64_t kLongestStopNs = 3'600'000'000'000;

}  // namespace

Slicer::Slicer(Parts parts, double budget_pct)
    : parts_(std::move(parts)),
      budget_(budget_pct / 100),
      ways_(ways_in_use(parts_.plan, parts_.states)),
      loads_(priors(ways_, parts_.costs)),
      planner_(loads_, {.lost_per_slice_ns = kLostPerSliceNs,
                        .operations = parts_.plan.operations.size(),
                        .seed = monotonic_ns()}),
      hot_(parts_.plan.operations.size()),
      log_(parts_.log ? std::make_optional<pipeline::SliceRecorder>(*parts_.log) : std::nullopt),
      inputs_(
          {parts_.captures, store_.inputs(), log_ ? &*log_ : nullptr, parts_.cpu_ns, parts_.charge},
          budget_, monotonic_ns()),
      timer_(::timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}

std::vector<bool> Slicer::away() const {
  std::vector<bool> out;
  for (const plan::OperationState& state : parts_.states) out.push_back(state.paused());
  return out;
}

// Also when no slice is on.
bool Slicer::sees_calls_of(size_t operation) const {
  const plan::OperationState& state = parts_.states[operation];
  return state.attached() && !plan::way_of(parts_.plan, parts_.states, operation).sampled();
}

// The more they pay in one, the later the next slice comes.
void Slicer::charge_strangers(const On& on) {
  const plan::Strangers now = parts_.strangers();
  double paid_ns = 0;
  for (const size_t i : on.operations)
    paid_ns += on.see == See::kCalls
                   ? now.cost_since_ns(i, on.strangers)
                   : double(now.calls_since(i, on.strangers)) * loads_.cost_ns(i, See::kEntries);
  parts_.charge(paid_ns);
  strangers_ns_ += kNewest * (paid_ns - strangers_ns_);
}

void Slicer::wake_at(uint64_t time_ns) {
  if (time_ns == UINT64_MAX) return;
  itimerspec at{};
  at.it_value.tv_sec = time_t(time_ns / 1'000'000'000);
  at.it_value.tv_nsec = long(time_ns % 1'000'000'000);
  ::timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &at, nullptr);
}

void Slicer::look(uint64_t now_ns, double left_pct, bool hold) {
  uint64_t fired;
  [[maybe_unused]] const auto read = ::read(timer_.get(), &fired, sizeof fired);
  if (!parts_.states.busy().now()) {
    end_slice();
    inputs_.end();
    next_.reset();
    why_not_.clear();
    return;
  }
  if (now_ns < again_ns_) return;
  why_not_.clear();
  if (!inputs_.counts() && !begin_counting()) return;
  if (on_ && now_ns >= on_->window.end_ns) end_slice();
  if (!on_) {
    if (auto looked = inputs_.look(now_ns, hold); !looked) return stop(looked.error().text());
    if (!hold) look_at_next(now_ns, left_pct);
  }
  if (why_not_.empty()) wake_at(next_look_ns(hold));
}

void Slicer::look_at_next(uint64_t now_ns, double left_pct) {
  if (!next_) plan_next(now_ns, left_pct);
  if (!next_ || now_ns + CountingPlan::kLead < next_ns_) return;
  if (!std::exchange(comes_, true)) {
    const auto waits = inputs_.slice_comes();
    if (!waits) return stop(waits.error().text());
    if (*waits) next_ns_ = std::max(next_ns_, monotonic_ns() + CountingPlan::kLead);
  }
  if (monotonic_ns() < next_ns_) return;
  begin_slice();
  if (!on_) inputs_.slice_over();
}

uint64_t Slicer::next_look_ns(bool hold) const {
  if (on_) return on_->window.end_ns;
  const uint64_t inputs_ns = inputs_.next_ns();
  if (hold || !next_) return inputs_ns;
  return std::min(inputs_ns, comes_ ? next_ns_ : next_ns_ - CountingPlan::kLead);
}

bool Slicer::begin_counting() {
  loads_.expect(parts_.pipeline.counts().calls, parts_.states.busy().whole_pct / 100);
  note_hot(monotonic_ns());
  const auto begun = inputs_.begin();
  if (!begun) stop(begun.error().text());
  return begun.has_value();
}

// What hinders may pass, but often does not.
void Slicer::stop(std::string why) {
  next_.reset();
  inputs_.end();
  slow_ = 0;
  again_ns_ = monotonic_ns() + pause_ns_;
  pause_ns_ = std::min(2 * pause_ns_, kLongestStopNs);
  why_not_ = std::move(why);
  if (std::exchange(said_, why_not_) != why_not_)
    parts_.notes.add(
        "how often what is away was called is not estimated for a while (it is tried "
        "again after pauses): " +
        why_not_);
}

void Slicer::plan_next(uint64_t now_ns, double left_pct) {
  if (Ways ways = ways_in_use(parts_.plan, parts_.states); ways != ways_) {
    ways_ = std::move(ways);
    loads_.price(priors(ways_, parts_.costs));
  }
  const double left = std::max(left_pct / 100 - inputs_.share(), kLeastLeft * budget_);
  SlicePlanner::Slice next = planner_.next(
      away(), neighbours(parts_.callers(), parts_.states.size()), left, strangers_ns_);
  if (next.slow_down <= 1) return;
  const uint64_t gap_ns = std::max(next.gap_ns, paid_.gap_ns(left));
  next_ns_ = now_ns + inputs_.plan().gap_ns(next.length_ns, gap_ns);
  next_ = std::move(next);
  comes_ = false;
}

void Slicer::begin_slice() {
  const SlicePlanner::Slice next = *std::exchange(next_, std::nullopt);
  On on{.see = next.see, .attached = next.attach, .operations = {}, .window = {}, .cpu = {}};
  const std::vector<bool> away = this->away();  // may be others than when it was planned
  for (size_t i = 0; i < on.attached.size(); ++i) {
    on.attached[i] = on.attached[i] && away[i];
    if (on.attached[i]) on.operations.push_back(i);
  }
  if (on.operations.empty() || !parts_.room(on.operations)) return;
  on.strangers = parts_.strangers();
  const uint64_t began = monotonic_ns();
  paid_.begin(began, parts_.cpu_ns());
  pipeline::SliceWatch::Of of{on.attached, {}, {}};
  for (size_t i = 0; i < on.attached.size(); ++i) {
    of.seen.push_back((on.attached[i] && on.see == See::kCalls) || sees_calls_of(i));
    of.cost_ns.push_back(loads_.cost_ns(i, on.see));
  }
  parts_.pipeline.begin_slice(std::move(of));
  parts_.times.begin(began);
  const auto placed =
      parts_.placement.bring_back(on.operations, on.see, Placement::Hang::kTogether);
  on.cpu = thread_times(parts_.processes());
  on.window.start_ns = monotonic_ns();
  on.window.end_ns = on.window.start_ns + next.length_ns;
  parts_.captures.set_slice(++number_);
  slow_ = on.window.start_ns - began > kSlowNs ? slow_ + 1 : 0;
  on.failed = !placed || slow_ >= kTooSlow;
  on_ = std::move(on);
  if (!placed) {
    end_slice();
    return stop("probes could not be placed: " + placed.error().text());
  }
  if (!on_->cpu) {
    end_slice();
    return stop("the targets have too many threads");
  }
  if (slow_ >= kTooSlow) {
    end_slice();
    return stop("it takes too long to place probes in all processes");
  }
}

void Slicer::end_slice() {
  if (!on_) return;
  On on = *std::exchange(on_, std::nullopt);
  const uint64_t first_ends_ns = on.window.start_ns + kFirstNs;
  parts_.captures.set_slice(0);
  on.window.end_ns = std::max(monotonic_ns(), on.window.start_ns + 1);
  const auto cpu = thread_times(parts_.processes());
  const std::set<pid_t> unprobed = this->unprobed(on);
  parts_.placement.take_away(on.operations);
  parts_.times.end(monotonic_ns());
  charge_strangers(on);
  inputs_.slice_over();
  pipeline::SliceSeen seen = parts_.pipeline.end_slice(on.window, first_ends_ns, unprobed);
  seen.lost |= !cpu || !on.cpu || on.failed;
  learn(std::move(seen), on, cpu.value_or(ThreadTimes()));
}

bool Slicer::alarm(const engine::Alarm& alarm) {
  if (!on_) return false;
  const double share = std::max(loads_.factor(), 1.0) * alarm.share;
  if (share > 1 - 1 / counts::kTooSlow) end_slice();
  return true;
}

void Slicer::meet(const std::vector<pid_t>& arrived) {
  if (on_) on_->came.insert(on_->came.end(), arrived.begin(), arrived.end());
}

std::set<pid_t> Slicer::unprobed(const On& on) const {
  std::set<pid_t> out;
  for (const pid_t pid : on.came)
    if (!std::ranges::all_of(on.operations,
                             [&](size_t i) { return parts_.placement.hangs(i, pid); }))
      out.insert(pid);
  return out;
}

// One that lost records, or of which the CPU time is not known, tells less than there was, but not
// nothing: what costs too much, above all.
void Slicer::learn(pipeline::SliceSeen seen, const On& on, const ThreadTimes& cpu) {
  SliceLoad load = load_of({on.attached, on.see, on.window, on.cpu.value_or(ThreadTimes()), cpu},
                           seen.threads, loads_);
  const double lost_ns = kLostPerSliceNs + load.probes_ns;
  parts_.charge(lost_ns);
  paid_.slice(lost_ns);
  loads_.add(std::move(load.seen));
  note_hot(on.window.end_ns);
  if (seen.lost) return;
  seen.slice.slow_down = counts::slow_down(load.threads);
  seen.singles.slow_down = seen.slice.slow_down;
  if (log_) log_->add(seen.slice, seen.singles);
  singles_.add(std::move(seen.singles));
  store_.add(std::move(seen.slice));
  ++seen_;
}

// Before any slice had them: as when all was observed.
void Slicer::note_hot(uint64_t now_ns) {
  for (size_t i = 0; i < parts_.plan.operations.size(); ++i) {
    const double rate = loads_.expected_rate(i);
    if (rate * loads_.cost_ns(i, See::kEntries) > SlicePlanner::kMostLoad)
      hot_.hot(i, rate, now_ns);
  }
}

std::vector<uint64_t> Slicer::was_too_hot_until_ns() const {
  std::vector<uint64_t> out;
  for (size_t i = 0; i < parts_.plan.operations.size(); ++i)
    out.push_back(hot_.until_ns(i, loads_.rate(i)));
  if (std::ranges::all_of(out, [](uint64_t ns) { return ns == 0; })) out.clear();
  return out;
}

std::optional<bool> Slicer::all_fit() const {
  const bool strangers_pay = strangers_ns_ >= 1;  // which is in no load
  if (seen_ < kKnown || strangers_pay || !why_not_.empty()) return std::nullopt;
  const std::vector<bool> away = this->away(), hot = planner_.too_hot();
  for (size_t i = 0; i < away.size(); ++i)
    if (away[i] && (hot[i] || !loads_.of(i, See::kCalls))) return std::nullopt;
  const double load = loads_.of(away, See::kCalls, 0);
  return load / (1 + load) <= kSpare * budget_;
}

std::optional<double> Slicer::pct(const std::vector<bool>& operations) const {
  if (seen_ < kKnown || !why_not_.empty()) return std::nullopt;
  const auto share = loads_.share(operations);
  return share ? std::optional(100 * *share) : std::nullopt;
}

std::optional<double> Slicer::calls_per_ns(const std::vector<bool>& operations) const {
  if (std::ranges::count(operations, true) == 0) return 0;
  return pct(operations) ? std::optional(loads_.calls_per_ns(operations)) : std::nullopt;
}

}  // namespace compmond::run
