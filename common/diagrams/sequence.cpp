// SPDX-License-Identifier: Apache-2.0
#include "diagrams/sequence.h"

#include <algorithm>
#include <map>

#include "base/hash_mix.h"

namespace compmond::diagrams {
namespace {

using Step = snapshot::OneTrace::Step;

// Draws steps from top to bottom: each is entered, then what it called, then left.
class Maker {
 public:
  Maker(const TraceSteps& trace, const SequenceStyle& style)
      : trace_(trace), steps_(trace.steps), style_(style) {}

  SequenceLayout make() {
    name_lifelines();
    look_inside();
    std::vector<size_t> jump(steps_.size() + 1, 0);  // to behind a loop, from its first round's end
    for (size_t i = 0; i < steps_.size();) {
      if (jump[i] > i) {
        out_.folded += jump[i] - i;
        i = jump[i];
        continue;
      }
      while (!stack_.empty() && int32_t(stack_.back().step) != steps_[i].caller) leave();
      enter(i);
      if (style_.fold) jump[i + size_[i]] = std::max(jump[i + size_[i]], add_loop(i));
      ++i;
    }
    while (!stack_.empty()) leave();
    out_.height = y_ + style_.call / 2;
    return std::move(out_);
  }

 private:
  struct Entered {
    uint32_t step;
    size_t activation;
    int first, last;  // lifelines that it touches
    int64_t loop;     // that it is the first round of; -1: none
  };

  void name_lifelines() {
    std::map<std::string_view, int> known;
    line_of_.assign(trace_.operations.size(), -1);
    for (const Step& step : steps_) {
      int& line = line_of_[step.operation];
      if (line >= 0) continue;
      const std::string& component = trace_.operations[step.operation].component;
      const auto [at, added] = known.emplace(component, int(out_.lifelines.size()));
      if (added) out_.lifelines.push_back(component);
      line = at->second;
    }
    active_.assign(out_.lifelines.size(), 0);
  }

  // Steps inside another one stand behind it, together.
  void look_inside() {
    size_.assign(steps_.size(), 1);
    shape_.assign(steps_.size(), 0);
    for (size_t i = steps_.size(); i-- > 0;) {
      shape_[i] = hash_mix(shape_[i], uint64_t(steps_[i].operation) * 2 + steps_[i].failed + 1);
      if (steps_[i].caller < 0) continue;
      const auto caller = size_t(steps_[i].caller);
      size_[caller] += size_[i];
      shape_[caller] = hash_mix(shape_[caller], shape_[i]);
    }
  }

  // Where the loop that begins with the step just entered ends; 0 where it is none.
  size_t add_loop(size_t step) {
    SequenceLoop loop;
    loop.step = uint32_t(step);
    loop.min_ns = UINT64_MAX;
    size_t end = step;
    while (end < steps_.size() && steps_[end].caller == steps_[step].caller &&
           shape_[end] == shape_[step]) {
      const uint64_t raw_ns = steps_[end].end_ns - steps_[end].start_ns;
      loop.raw_ns += raw_ns;
      loop.min_ns = std::min(loop.min_ns, raw_ns);
      loop.max_ns = std::max(loop.max_ns, raw_ns);
      ++loop.count;
      end += size_[end];
    }
    if (loop.count < 2) return 0;
    loop.nesting = loops_open_++;
    loop.y0 = y_ - style_.call;
    stack_.back().loop = int64_t(out_.loops.size());
    out_.loops.push_back(loop);
    return end;
  }

  void enter(size_t step) {
    const int line = line_of_[steps_[step].operation];
    const int from = stack_.empty() ? -1 : line_at(stack_.back().step);
    const int from_depth = from < 0 ? 0 : out_.activations[stack_.back().activation].depth;
    const int depth = active_[size_t(line)]++;
    y_ += style_.call;
    out_.messages.push_back({uint32_t(step), false, from, line, from_depth, depth, y_});
    out_.activations.push_back({uint32_t(step), line, depth, y_, y_});
    const int first = from < 0 ? line : std::min(from, line), last = std::max(from, line);
    stack_.push_back({uint32_t(step), out_.activations.size() - 1, first, last, -1});
  }

  void leave() {
    const Entered done = stack_.back();
    stack_.pop_back();
    y_ += style_.back;
    SequenceActivation& activation = out_.activations[done.activation];
    activation.y1 = y_;
    --active_[size_t(activation.lifeline)];
    const bool outside = stack_.empty();
    out_.messages.push_back({done.step, true, activation.lifeline,
                             outside ? -1 : line_at(stack_.back().step), activation.depth,
                             outside ? 0 : out_.activations[stack_.back().activation].depth, y_});
    if (!outside) {
      stack_.back().first = std::min(stack_.back().first, done.first);
      stack_.back().last = std::max(stack_.back().last, done.last);
    }
    if (done.loop < 0) return;
    --loops_open_;
    y_ += style_.back / 2;
    SequenceLoop& loop = out_.loops[size_t(done.loop)];
    loop.first = done.first;
    loop.last = done.last;
    loop.y1 = y_;
  }

  int line_at(uint32_t step) const { return line_of_[steps_[step].operation]; }

  const TraceSteps& trace_;
  const std::vector<Step>& steps_;
  const SequenceStyle& style_;
  std::vector<int> line_of_;     // per operation
  std::vector<uint32_t> size_;   // of what is inside a step, with itself
  std::vector<uint64_t> shape_;  // the same where the control flow is the same
  std::vector<int> active_;      // per lifeline: activations under way
  std::vector<Entered> stack_;
  int loops_open_ = 0;
  double y_ = 0;
  SequenceLayout out_;
};

}  // namespace

SequenceLayout lay_out_sequence(const TraceSteps& trace, const SequenceStyle& style) {
  return Maker(trace, style).make();
}

}  // namespace compmond::diagrams
