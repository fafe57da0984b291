// SPDX-License-Identifier: Apache-2.0
#include "counts/input_times.h"

#include <algorithm>
#include <cmath>

#include "counts/student.h"

namespace compmond::counts {

namespace {

constexpr size_t kFewest = 5;  // times between samples: fewer do not tell how much these differ
constexpr double kFewDegrees = 5;
// Of a time, that it is known how many were received, and of two samples, how many these have.
constexpr double kReceivedKnown = 0.9, kFewestReceived = 20;

void add_error(const Inputs& error, RunInputs& to) {
  to.descriptor_spread.add(error.descriptor);
  to.size_spread.add(error.size);
}

}  // namespace

// By what it is told how much came between two samples: how much of it there was, and in these.
struct InputTimes::Scale {
  double between = 0, a = 0, b = 0;
  double slowed = 0;  // by what part, at most, there was less in the samples
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

// The sample that what was not counted in a span follows, and the next one; at the ends the two
// nearest ones.
std::optional<std::pair<size_t, size_t>> InputTimes::samples_around(size_t span) const {
  const auto has = [&](size_t i) { return spans_[i].sample_ns > 0; };
  std::optional<size_t> before, after;
  for (size_t i = span + 1; i-- > 0 && !before;)
    if (has(i)) before = i;
  for (size_t i = span + 1; i < spans_.size() && !after; ++i)
    if (has(i)) after = i;
  if (before && !after)
    for (size_t i = *(after = before); i-- > 0;)
      if (has(i)) return std::pair(i, *after);
  if (after && !before)
    for (size_t i = *(before = after) + 1; i < spans_.size(); ++i)
      if (has(i)) return std::pair(*before, i);
  if (!before || !after || *before == *after) return std::nullopt;
  return std::pair(*before, *after);
}

InputTimes::Scale InputTimes::scale(const Span& between, const Span& a, const Span& b) const {
  const auto known = [](const Received& of, double ns) { return of.ns >= kReceivedKnown * ns; };
  const Received &from_a = a.of_sample, &from_b = b.of_sample;
  if (known(between.of_not, between.not_ns) && known(from_a, a.sample_ns) &&
      known(from_b, b.sample_ns) && std::min(from_a.inputs, from_b.inputs) > 0 &&
      from_a.inputs + from_b.inputs >= kFewestReceived)
    return {between.of_not.inputs * between.not_ns / between.of_not.ns, from_a.inputs,
            from_b.inputs};
  return {between.not_ns, a.sample_ns, b.sample_ns,
          (a.slowed_ns + b.slowed_ns) / (a.sample_ns + b.sample_ns)};
}

void InputTimes::add_between(size_t span, double share, Told& out, Between& all) const {
  const auto around = samples_around(span);
  if (!around) return;
  const Span &a = spans_[around->first], &b = spans_[around->second];
  const auto [between, in_a, in_b, slowed] = scale(spans_[span], a, b);
  const double some = share * between, sampled = in_a + in_b;
  Inputs mean, differ;
  mean.add(a.sample, some / sampled * (1 + slowed / 2));
  mean.add(b.sample, some / sampled * (1 + slowed / 2));
  // That of the mean of two samples, each of which serves two such times, and that of the time
  // itself, which is a sample as well. What differs is the less sure the less there is in one.
  const double error = std::sqrt((2 * some * some / sampled + some) * in_a * in_b / sampled);
  differ.add(a.sample, -error / in_a);
  differ.add(b.sample, error / in_b);
  all.inputs.add(mean);
  add_error(differ, all.inputs);
  all.inputs.slowed.add(mean, slowed / 2);
  const double ns = share * spans_[span].not_ns;
  all.ns += ns;
  ++all.times;
  out.known_ns += ns;
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
