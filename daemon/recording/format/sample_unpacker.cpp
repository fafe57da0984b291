// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <set>
#include <tuple>
#include <unordered_map>

#include "core/limits.h"
#include "log_format/bytes.h"
#include "log_format/sample_codec.h"
#include "log_format/sample_steps.h"

namespace compmond::recording {
namespace {

using sampling::ImageNumber;
using sampling::Sample;

constexpr size_t kPathBytes = 4096, kBuildIdBytes = 256;
constexpr uint64_t kPidEnd = 1u << 22;              // PID_MAX_LIMIT
constexpr uint64_t kLongestNs = uint64_t(1) << 53;  // a hundred days
constexpr double kHzMost = 1e6;

std::string take_text(Unpacker& in, size_t most) {
  const uint64_t size = in.varint();
  return std::string(in.text(size <= most ? size : SIZE_MAX));
}

class SampleUnpacker {
 public:
  SampleUnpacker(const ChunkHead& head, std::string_view payload)
      : head_(head), in_(payload), last_ns_(head.min_ns), stretched_ns_(head.min_ns) {}

  std::optional<SampleBlock> unpack() {
    out_.first_sample = head_.first_event;
    if (!take_images() || !take_functions() || !take_threads() || !take_calls())
      return std::nullopt;
    while (in_.ok() && in_.left() > 0)
      if (!take_step()) return std::nullopt;
    if (!in_.ok() || out_.samples.size() != head_.events) return std::nullopt;
    return std::move(out_);
  }

 private:
  // How many of something follow, each of at least a byte; too many: not ok.
  std::optional<size_t> count(size_t most) {
    const uint64_t n = in_.varint();
    if (!in_.ok() || n > most || n > in_.left()) return std::nullopt;
    return size_t(n);
  }
  std::optional<uint64_t> duration() {
    const uint64_t ns = in_.varint();
    return in_.ok() && ns < kLongestNs ? std::optional(ns) : std::nullopt;
  }
  std::optional<uint32_t> pid() {
    const uint64_t number = in_.varint();
    return in_.ok() && number < kPidEnd ? std::optional(uint32_t(number)) : std::nullopt;
  }
  // What frames and functions may lie in.
  std::optional<ImageNumber> image() {
    const uint64_t number = in_.varint();
    const bool known = number < sampling::kFirstFile || images_.contains(number);
    return in_.ok() && known ? std::optional(ImageNumber(number)) : std::nullopt;
  }
  bool within(uint64_t time_ns) const { return time_ns >= head_.min_ns && time_ns <= head_.max_ns; }

  bool take_images() {
    const auto n = count(limits::kImages);
    if (!n) return false;
    for (size_t i = 0; i < *n && in_.ok(); ++i) {
      sampling::Image& image = out_.images.emplace_back();
      const uint64_t number = in_.varint();
      if (number >= sampling::kFirstFile + limits::kImages || !images_.insert(number).second)
        return false;
      image.number = ImageNumber(number);
      image.path = take_text(in_, kPathBytes);
      image.device = in_.varint();
      image.inode = in_.varint();
      image.build_id = take_text(in_, kBuildIdBytes);
    }
    return in_.ok();
  }

  bool take_functions() {
    const auto n = count(kMaxCalls);
    if (!n) return false;
    uint64_t at = 0;
    for (size_t i = 0; i < *n && in_.ok(); ++i) {
      sampling::Function& function = out_.functions.emplace_back();
      const auto number = image();
      if (!number) return false;
      function.image = *number;
      function.start = at + unzigzag(in_.varint());
      at = function.end = function.start + in_.varint();
      if (function.end < function.start) return false;
      function.name = take_text(in_, limits::kNameBytes);
    }
    return in_.ok();
  }

  bool take_threads() {
    const auto n = count(kMaxSamples);
    if (!n) return false;
    for (size_t i = 0; i < *n; ++i) {
      const auto pid = this->pid(), tid = this->pid();
      if (!pid || !tid) return false;
      threads_.emplace_back(*pid, *tid);
    }
    return true;
  }

  bool take_calls() {
    const auto n = count(kMaxCalls);
    if (!n) return false;
    std::unordered_map<ImageNumber, uint64_t> last;
    std::vector<uint16_t> depth;
    for (size_t i = 0; i < *n; ++i) {
      const uint64_t back = in_.varint();
      const auto number = image();
      if (!number || back > i) return false;
      SampleBlock::Call& call = out_.calls.emplace_back();
      if (back > 0) call.caller = uint32_t(i - back);
      depth.push_back(back > 0 ? uint16_t(depth[call.caller] + 1) : uint16_t(1));
      if (depth.back() > kMaxDepth) return false;
      call.frame = {*number, last[*number] += unzigzag(in_.varint())};
    }
    return in_.ok();
  }

  bool take_step() {
    const auto first = uint8_t(in_.fixed(1));
    if ((first & kStepMask) == kStretch) return (first & ~kStretchBits) == 0 && take_stretch(first);
    return (first & ~kSampleBits) == 0 && (first & kStepMask) <= kOffCpu && take_sample(first);
  }

  bool take_sample(uint8_t first) {
    if (out_.samples.size() >= std::min<size_t>(kMaxSamples, head_.events)) return false;
    const auto ended = uint8_t(first >> kEndedShift & kEndedMask);
    const uint64_t thread = in_.varint();
    const uint64_t time = last_ns_ += unzigzag(in_.varint());
    const uint64_t stack = in_.varint();
    if (!in_.ok() || thread >= threads_.size() || stack > out_.calls.size() || !within(time) ||
        ended > uint8_t(sampling::Ended::kBroken))
      return false;
    auto& [sample, innermost] = out_.samples.emplace_back();
    sample.ended = sampling::Ended(ended);
    sample.in_kernel = first & kInKernel;
    sample.in_probe = first & kInProbe;
    std::tie(sample.pid, sample.tid) = threads_[thread];
    sample.time_ns = time;
    if (stack > 0) innermost = uint32_t(stack - 1);
    return (first & kStepMask) == kOnCpu || take_wait(sample);
  }

  bool take_wait(Sample& sample) {
    sample.kind = Sample::Kind::kOffCpu;
    const auto off = duration(), runnable = duration();
    if (!off || !runnable) return false;
    sample.off_ns = *off;
    sample.runnable_ns = *runnable;
    sample.weight_ns = *off + unzigzag(in_.varint());
    return in_.ok() && sample.weight_ns < kLongestNs;
  }

  bool take_stretch(uint8_t first) {
    if (out_.stretches.size() >= kMaxStretches) return false;
    auto& [stretch, after] = out_.stretches.emplace_back();
    after = uint32_t(out_.samples.size());
    const auto gap = duration(), length = duration();
    if (!gap || !length) return false;
    stretch.start_ns = stretched_ns_ + *gap;
    stretch.end_ns = stretched_ns_ = stretch.start_ns + *length;
    stretch.off_cpu = first & kWaitsSampled;
    stretch.sees_probes = first & kSeesProbes;
    stretch.hz = std::bit_cast<double>(in_.fixed(8));
    const auto period = duration();
    stretch.lost = in_.varint();
    const auto processes = count(kMaxProcessTimes - process_times_);
    if (!period || !processes || stretch.end_ns < stretch.start_ns || !within(stretch.start_ns) ||
        !within(stretch.end_ns) || !(stretch.hz >= 0 && stretch.hz <= kHzMost) ||
        stretch.lost > most_samples(*length))
      return false;
    stretch.off_cpu_period_ns = *period;
    process_times_ += *processes;
    for (size_t i = 0; i < *processes; ++i) {
      const auto process = pid();
      const auto cpu = duration();
      if (!process || !cpu) return false;
      stretch.processes.push_back({*process, *cpu});
    }
    return true;
  }

  const ChunkHead& head_;
  Unpacker in_;
  SampleBlock out_;
  std::set<uint64_t> images_;
  std::vector<Process> threads_;
  size_t process_times_ = 0;
  uint64_t last_ns_, stretched_ns_;
};

}  // namespace

std::optional<SampleBlock> decode_samples(const ChunkHead& head, std::string_view payload) {
  return SampleUnpacker(head, payload).unpack();
}

}  // namespace compmond::recording
