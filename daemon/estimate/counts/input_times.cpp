// SPDX-License-Identifier: Apache-2.0
#include "counts/input_times.h"

#include <algorithm>
#include <cmath>

#include "counts/student.h"

namespace compmond::counts {

namespace {

constexpr size_t kFewest = 5;  // times between samples: fewer do not tell how much these differ
constexpr double kFewDegrees = 5;
// Of a time, that it is known how many were received; of samples beside it, how many these have at
// least, and how many samples they are at most.
constexpr double kReceivedKnown = 0.9, kFewestReceived = 10;
constexpr size_t kMostSamples = 64;

void add_error(const Inputs& error, RunInputs& to) {
  to.descriptor_spread.add(error.descriptor);
  to.size_spread.add(error.size);
}

}  // namespace

// Samples next to each other.
struct InputTimes::Group {
  Inputs inputs;
  double ns = 0, slowed_ns = 0, received = 0;
  size_t samples = 0;
  bool known = true;  // how many were received
  void add(const Span& span) {
    inputs.add(span.sample);
    ns += span.sample_ns;
    slowed_ns += span.slowed_ns;
    known = known && knows(span.of_sample, span.sample_ns);
    if (span.of_sample.ns > 0)
      received += span.of_sample.inputs * span.sample_ns / span.of_sample.ns;
    ++samples;
  }
  bool has(double at_least) const { return samples > 0 && received >= at_least; }
  static bool knows(const Received& of, double ns) { return of.ns >= kReceivedKnown * ns; }
};

// What is told of all that was not counted.
struct InputTimes::Between {
  RunInputs inputs;
  double ns = 0;
  size_t times = 0;
};

void InputTimes::Received::add(const Received& other) {
  ns += other.ns;
  inputs += other.inputs;
}

void InputTimes::Span::add(const Span& other) {
  time.end_ns = other.time.end_ns;
  counted.add(other.counted);
  sample.add(other.sample);
  counted_ns += other.counted_ns;
  sample_ns += other.sample_ns;
  not_ns += other.not_ns;
  slowed_ns += other.slowed_ns;
  of_sample.add(other.of_sample);
  of_not.add(other.of_not);
}

void InputTimes::begin(uint64_t time_ns) {
  until_ns_ = std::max(time_ns, until_ns_);
  begun_ = true;
}

bool InputTimes::starts(Part part) const {
  if (begun_ || spans_.empty()) return true;
  const Span& last = spans_.back();
  if (last.time.length() < kLeast) return false;
  const bool counted = last.sample_ns + last.not_ns == 0 || last.counted_ns >= kMuchCounted;
  return part == Part::kSample || (part == Part::kCounted && counted);
}

void InputTimes::add(uint64_t until_ns, const Seen& seen) {
  if (until_ns <= until_ns_) return;
  Span more{.time = {until_ns_, until_ns}};
  const double ns = double(more.time.length());
  const Received received{seen.received ? ns : 0, seen.received.value_or(0)};
  if (seen.part == Part::kCounted) {
    more.counted = seen.inputs;
    more.counted_ns = ns;
  } else if (seen.part == Part::kSample) {
    more.sample = seen.inputs;
    more.sample_ns = ns;
    more.slowed_ns = seen.slowed * ns;
    more.of_sample = received;
  } else {
    more.not_ns = ns;
    more.of_not = received;
  }
  if (starts(seen.part))
    spans_.push_back(more);
  else
    spans_.back().add(more);
  until_ns_ = until_ns;
  begun_ = false;
  if (spans_.size() >= thin_out_at_) thin_out();
}

uint64_t InputTimes::longest(uint64_t age_ns) { return age_ns < kNew ? 0 : age_ns / kPart; }

void InputTimes::thin_out() {
  size_t kept = 0;
  for (const Span& span : spans_) {
    Span* const last = kept > 0 ? &spans_[kept - 1] : nullptr;
    const uint64_t most_ns = longest(until_ns_ - span.time.end_ns);
    if (last && last->time.end_ns == span.time.start_ns &&
        span.time.end_ns - last->time.start_ns <= most_ns)
      last->add(span);
    else
      spans_[kept++] = span;
  }
  spans_.resize(kept);
  if (kept + kBatch > kSpans)  // a run that was counted in very many short times
    spans_.erase(spans_.begin(), spans_.begin() + ptrdiff_t(kept / 2));
  thin_out_at_ = spans_.size() + kBatch;
  ++thinned_out_;
}

// From there on, which is moved on, until so many were received.
InputTimes::Group InputTimes::group(size_t& at, int step, double received) const {
  Group out;
  for (; at < spans_.size() && !out.has(received) && out.samples < kMostSamples;
       at += size_t(ptrdiff_t(step)))
    if (spans_[at].sample_ns > 0) out.add(spans_[at]);
  return out;
}

// Those before and after what was not counted in a span; at the ends the two nearest ones.
InputTimes::Groups InputTimes::samples_around(size_t span, double received) const {
  size_t before = span, after = span + 1;
  Group a = group(before, -1, received), b = group(after, +1, received);
  if (!a.has(received))
    a = std::exchange(b, group(after, +1, received));
  else if (!b.has(received))
    b = std::exchange(a, group(before, -1, received));
  if (!a.has(received) || !b.has(received)) return std::nullopt;
  return std::pair(std::move(a), std::move(b));
}

void InputTimes::add_between(size_t span, double share, Told& out, Between& all) const {
  const Span& of = spans_[span];
  Groups around;
  if (Group::knows(of.of_not, of.not_ns)) around = samples_around(span, kFewestReceived);
  const bool by_received = around && around->first.known && around->second.known;
  if (!by_received) around = samples_around(span, 0);
  if (!around) return;
  const auto& [a, b] = *around;
  const double in_a = by_received ? a.received : a.ns, in_b = by_received ? b.received : b.ns;
  const double slowed = by_received ? 0 : (a.slowed_ns + b.slowed_ns) / (a.ns + b.ns);
  const double between = by_received ? of.of_not.inputs * of.not_ns / of.of_not.ns : of.not_ns;
  const double some = share * between, sampled = in_a + in_b;
  Inputs mean, differ;
  mean.add(a.inputs, some / sampled * (1 + slowed / 2));
  mean.add(b.inputs, some / sampled * (1 + slowed / 2));
  // That of the mean of two samples, each of which serves two such times, or of more, of which each
  // serves more, and that of the time itself, which is a sample as well. What differs is the less
  // sure the less there is in one.
  const double served = double(a.samples + b.samples) / 2;
  const double error =
      std::sqrt((2 * some * some / sampled * served + some) * in_a * in_b / sampled);
  differ.add(a.inputs, -error / in_a);
  differ.add(b.inputs, error / in_b);
  add_error(differ, all.inputs);
  all.inputs.add(mean);
  all.inputs.slowed.add(mean, slowed / 2);
  all.ns += share * of.not_ns;
  ++all.times;
  out.known_ns += share * of.not_ns;
}

void InputTimes::add_part(size_t span, double share, Told& out, Between& all) const {
  const Span& of = spans_[span];
  Inputs counted = of.counted;
  counted.add(of.sample);
  out.inputs.add(counted, share);
  const double counted_ns = share * (of.counted_ns + of.sample_ns);
  out.known_ns += counted_ns;
  out.counted_ns += counted_ns;
  if (of.not_ns > 0) add_between(span, share, out, all);
  if (share >= 1 || of.counted_ns + of.sample_ns <= 0) return;
  // Within it inputs came as they did on average: how wrong that is.
  Inputs moved;
  moved.add(counted,
            share * (1 - share) * double(of.time.length()) / (of.counted_ns + of.sample_ns));
  add_error(moved, out.inputs);
}

InputTimes::Told InputTimes::of(std::span<const Window> times) const {
  Told out;
  Between all;
  for (const Window& time : times) {
    const auto first = std::ranges::upper_bound(spans_, time.start_ns, {},
                                                [](const Span& span) { return span.time.end_ns; });
    for (size_t i = size_t(first - spans_.begin());
         i < spans_.size() && spans_[i].time.start_ns < time.end_ns; ++i) {
      const Window part = common(time, spans_[i].time);
      add_part(i, double(part.length()) / double(spans_[i].time.length()), out, all);
    }
  }
  if (all.times == 0) return out;
  if (all.times < kFewest) {
    out.known_ns -= all.ns;
    return out;
  }
  const double degrees = std::max(kFewDegrees, double(all.times) / 2);
  const double factor = std::pow(student(degrees) / student(1e9), 2);
  out.inputs.add(all.inputs);
  out.inputs.descriptor_spread.add(all.inputs.descriptor_spread, factor);
  out.inputs.size_spread.add(all.inputs.size_spread, factor);
  out.inputs.slowed.add(all.inputs.slowed);
  return out;
}

}  // namespace compmond::counts
