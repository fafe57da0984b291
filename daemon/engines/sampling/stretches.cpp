// SPDX-License-Identifier: Apache-2.0
#include "sampler/stretches.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/clock.h"

namespace compmond::sampler {

using engine::Recording;

namespace {

using Times = std::vector<sampling::Stretch::ProcessTime>;

void add_to(Times& times, const sampling::Stretch::ProcessTime& more) {
  const auto same = std::ranges::find(times, more.pid, &sampling::Stretch::ProcessTime::pid);
  if (same == times.end())
    times.push_back(more);
  else
    same->cpu_ns += more.cpu_ns;
}

// Whether threads of targets were met.
bool ran(const Counts& before, const Counts& now) {
  return now.on != before.on || now.off != before.off || now.switches != before.switches;
}

}  // namespace

Stretches::Stretches(Kernel& kernel, double hz, bool waits, unsigned cpus)
    : kernel_(kernel), hz_(hz), rate_(hz, waits, cpus) {}

void Stretches::record(Recording recording) {
  if (recording == recording_) return;
  if (recording_ == Recording::kOn) kernel_.cut_waits();
  if (recording != Recording::kOn) kernel_.end();
  const uint64_t now = monotonic_ns();
  if (recording_ != Recording::kOff)
    end(now);
  else
    (void)cpu_times_.take();  // what was used before does not count
  gone_.clear();
  recording_ = recording;
  if (recording_ != Recording::kOff) begin(now);
}

void Stretches::begin(uint64_t now_ns) {
  start_ns_ = now_ns;
  at_start_ = kernel_.counts();
  waits_ = recording_ == Recording::kOn && kernel_.begin(rate_.pace(), now_ns);
}

Seen Stretches::seen(uint64_t now_ns, const Counts& now) const {
  return {.length_ns = now_ns - start_ns_,
          .on = now.on - at_start_.on,
          .off = now.off - at_start_.off,
          .own_looks_ns = now.own_looks_ns - at_start_.own_looks_ns,
          .all_looks_ns = now.all_looks_ns - at_start_.all_looks_ns};
}

void Stretches::end(uint64_t now_ns) {
  const Counts counts = kernel_.counts();
  Seen seen = this->seen(now_ns, counts);
  sampling::Stretch out;
  out.start_ns = start_ns_;
  out.end_ns = now_ns;
  out.processes = cpu_times_.take();
  for (const auto& process : std::exchange(gone_, {})) add_to(out.processes, process);
  out.lost = counts.lost - at_start_.lost;
  for (const auto& process : out.processes) seen.cpu_ns += process.cpu_ns;
  if (recording_ == Recording::kOn && seen.length_ns > 0) {
    const Pace& pace = rate_.pace();
    // As asked for, of CPUs that are busy: idle ones may not be hit at all. Each change of a period
    // costs half of one, that is 3 % of the hits.
    out.hz = hz_ * pace.keep;
    out.off_cpu = waits_;
    out.sees_probes = kernel_.sees_probes();
    out.off_cpu_period_ns = waits_ ? pace.wait_period_ns : 0;
    rate_.next(seen);
  }
  ended_.push_back(std::move(out));
}

// It may have ended in a stretch that has, too: what the kernel says comes later.
void Stretches::remove(pid_t pid, uint64_t cpu_ns, uint64_t at_ns) {
  const uint64_t rest = cpu_times_.remove(pid, cpu_ns);
  if (rest == 0 || (recording_ == Recording::kOff && ended_.empty())) return;
  const auto of = std::ranges::find_if(
      ended_, [&](const sampling::Stretch& one) { return at_ns < one.end_ns; });
  add_to(of == ended_.end() ? gone_ : of->processes, {uint32_t(pid), rest});
}

void Stretches::poll() {
  if (recording_ == Recording::kOff) return;
  const uint64_t length = monotonic_ns() - start_ns_;
  at_poll_ = kernel_.counts();
  const bool full = recording_ == Recording::kOn && rate_.full(seen(0, at_poll_));
  if (!full && length < rate_.pace().length_ns) return;
  if (waits_) kernel_.cut_waits();
  const uint64_t now = monotonic_ns();
  end(now);
  begin(now);
}

uint64_t Stretches::rest_ns() const {
  if (recording_ == Recording::kOff || !ended_.empty()) return 0;
  const uint64_t end = start_ns_ + rate_.pace().length_ns, now = monotonic_ns();
  // Counts say nothing of what runs between two hits, nor of switches where waits are not seen.
  if (now >= end || ran(at_start_, at_poll_) || cpu_times_.any()) return 0;
  return end - now;
}

std::vector<sampling::Stretch> Stretches::take_ended(uint64_t before_ns) {
  const auto later = std::ranges::find_if(
      ended_, [&](const sampling::Stretch& one) { return one.end_ns > before_ns; });
  std::vector<sampling::Stretch> out(std::make_move_iterator(ended_.begin()),
                                     std::make_move_iterator(later));
  ended_.erase(ended_.begin(), later);
  return out;
}

}  // namespace compmond::sampler
