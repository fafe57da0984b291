// SPDX-License-Identifier: Apache-2.0
#include "sampler/walker.h"

namespace compmond::sampler {
namespace {

using sampling::Ended;

constexpr size_t kMaxTops = 65'536;  // then all are learned anew
constexpr size_t kRsp = 7;

// A stack that could not be read is there all the same: of a thread on its way out, or swapped out.
Ended ended(const sampling::RawSample& sample, const sampling::Walked& walked) {
  return sample.stack.empty() && walked.ended == Ended::kBroken ? Ended::kTruncated : walked.ended;
}

}  // namespace

void Walker::learn(const sampling::RawSample& sample, const sampling::Walked& walked) {
  const uint32_t tid = sample.head->tid;
  const auto known = tops_.find(tid);
  if (walked.ended == Ended::kComplete) {
    if (walked.stack_top <= sample.head->registers[kRsp]) return;
    if (known != tops_.end() && known->second >= walked.stack_top) return;
    if (tops_.size() >= kMaxTops) tops_.clear();
    tops_[tid] = walked.stack_top;
    kernel_.learn_stack_top(tid, walked.stack_top);
  } else if (known != tops_.end()) {  // it has another stack now
    tops_.erase(known);
    kernel_.forget_stack_top(tid);
  }
}

void Walker::walk(std::span<const sampling::RawSample> samples, sampling::SampleSink& sink) {
  if (samples.empty()) return;
  unwinder_.walk(samples, [&](size_t index, const sampling::Walked& walked) {
    const sampling::RawSample& raw = samples[index];
    learn(raw, walked);
    for (const sampling::Function& function : walked.functions) sink.on_function(function);
    const cm_sample& head = *raw.head;
    const bool on_cpu = head.kind == CM_ON_CPU;
    sink.on_sample(
        {.kind = on_cpu ? sampling::Sample::Kind::kOnCpu : sampling::Sample::Kind::kOffCpu,
         .ended = ended(raw, walked),
         .in_kernel = head.kernel_ip != 0,
         .in_probe = head.in_probe != 0,
         .pid = head.pid,
         .tid = head.tid,
         .time_ns = head.time_ns,
         .off_ns = head.off_ns,
         .runnable_ns = head.runnable_ns,
         .weight_ns = head.weight_ns,
         .frames = walked.frames});
  });
}

}  // namespace compmond::sampler
