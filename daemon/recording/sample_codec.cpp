// SPDX-License-Identifier: Apache-2.0
#include "recording/sample_codec.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "core/limits.h"
#include "recording/bytes.h"

namespace compmond::recording {
namespace {

using sampling::ImageNumber;
using sampling::Sample;
using sampling::Stretch;
using Process = std::pair<uint32_t, uint32_t>;  // pid, tid

// The first byte of a step.
constexpr uint8_t kStepMask = 3, kOnCpu = 0, kOffCpu = 1, kStretch = 2;
constexpr uint8_t kEndedShift = 2, kEndedMask = 3, kInKernel = 0x10, kSampleBits = 0x1f;
constexpr uint8_t kWaitsSampled = 4, kStretchBits = kStretch | kWaitsSampled;

constexpr size_t kPathBytes = 4096, kBuildIdBytes = 256;
constexpr uint64_t kPidEnd = 1u << 22;              // PID_MAX_LIMIT
constexpr uint64_t kLongestNs = uint64_t(1) << 53;  // a hundred days
constexpr double kHzMost = 1e6;

void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out += text;
}

std::string take_text(Unpacker& in, size_t most) {
  const uint64_t size = in.varint();
  return std::string(in.text(size <= most ? size : SIZE_MAX));
}

void find_times(const SampleBlock& block, ChunkHead& head) {
  head.min_ns = UINT64_MAX;
  head.max_ns = 0;
  const auto count = [&](uint64_t from_ns, uint64_t to_ns) {
    head.min_ns = std::min(head.min_ns, from_ns);
    head.max_ns = std::max(head.max_ns, to_ns);
  };
  for (const auto& taken : block.samples) count(taken.sample.time_ns, taken.sample.time_ns);
  for (const auto& passed : block.stretches) count(passed.stretch.start_ns, passed.stretch.end_ns);
  head.min_ns = std::min(head.min_ns, head.max_ns);
}

class Packer {
 public:
  explicit Packer(const ChunkHead& head) : last_ns_(head.min_ns), stretched_ns_(head.min_ns) {}

  std::string pack(const SampleBlock& block) {
    put_images(block);
    put_functions(block);
    put_threads(block);
    put_calls(block);
    auto stretch = block.stretches.begin();
    for (size_t i = 0; i <= block.samples.size(); ++i) {
      for (; stretch != block.stretches.end() && stretch->after == i; ++stretch)
        put(stretch->stretch);
      if (i < block.samples.size()) put(block.samples[i]);
    }
    return std::move(out_);
  }

 private:
  void put_images(const SampleBlock& block) {
    put_varint(out_, block.images.size());
    for (const sampling::Image& image : block.images) {
      put_varint(out_, image.number);
      put_text(out_, image.path);
      put_varint(out_, image.device);
      put_varint(out_, image.inode);
      put_text(out_, image.build_id);
    }
  }

  void put_functions(const SampleBlock& block) {
    put_varint(out_, block.functions.size());
    uint64_t at = 0;
    for (const sampling::Function& function : block.functions) {
      put_varint(out_, function.image);
      put_varint(out_, zigzag(function.start - at));
      put_varint(out_, function.end - function.start);
      put_text(out_, function.name);
      at = function.end;
    }
  }

  void put_threads(const SampleBlock& block) {
    std::vector<Process> order;
    for (const auto& taken : block.samples) {
      const Process thread(taken.sample.pid, taken.sample.tid);
      if (threads_.emplace(thread, order.size()).second) order.push_back(thread);
    }
    put_varint(out_, order.size());
    for (const auto& [pid, tid] : order) {
      put_varint(out_, pid);
      put_varint(out_, tid);
    }
  }

  void put_calls(const SampleBlock& block) {
    std::unordered_map<ImageNumber, uint64_t> last;
    put_varint(out_, block.calls.size());
    for (size_t i = 0; i < block.calls.size(); ++i) {
      const auto& [caller, frame] = block.calls[i];
      put_varint(out_, caller == SampleBlock::kNoCall ? 0 : i - caller);
      put_varint(out_, frame.image);
      put_varint(out_, zigzag(frame.vaddr - std::exchange(last[frame.image], frame.vaddr)));
    }
  }

  void put(const SampleBlock::Taken& taken) {
    const Sample& sample = taken.sample;
    const bool off = sample.kind == Sample::Kind::kOffCpu;
    out_.push_back(char((off ? kOffCpu : kOnCpu) | uint8_t(sample.ended) << kEndedShift |
                        (sample.in_kernel ? kInKernel : 0)));
    put_varint(out_, threads_.at({sample.pid, sample.tid}));
    put_varint(out_, zigzag(sample.time_ns - std::exchange(last_ns_, sample.time_ns)));
    put_varint(out_, uint64_t(taken.innermost + 1));  // 0 for kNoCall
    if (!off) return;
    put_varint(out_, sample.off_ns);
    put_varint(out_, sample.runnable_ns);
    put_varint(out_, zigzag(sample.weight_ns - sample.off_ns));
  }

  void put(const Stretch& stretch) {
    out_.push_back(char(kStretch | (stretch.off_cpu ? kWaitsSampled : 0)));
    put_varint(out_, stretch.start_ns - std::exchange(stretched_ns_, stretch.end_ns));
    put_varint(out_, stretch.end_ns - stretch.start_ns);
    put_fixed(out_, std::bit_cast<uint64_t>(stretch.hz), 8);
    put_varint(out_, stretch.off_cpu_period_ns);
    put_varint(out_, stretch.lost);
    put_varint(out_, stretch.processes.size());
    for (const Stretch::ProcessTime& process : stretch.processes) {
      put_varint(out_, process.pid);
      put_varint(out_, process.cpu_ns);
    }
  }

  std::string out_;
  std::map<Process, uint64_t> threads_;
  uint64_t last_ns_, stretched_ns_;
};

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

std::string encode(const SampleBlock& block, ChunkHead& head) {
  head.type = ChunkType::kSamples;
  head.events = uint32_t(block.samples.size());
  head.first_event = block.first_sample;
  find_times(block, head);
  return Packer(head).pack(block);
}

std::optional<SampleBlock> decode_samples(const ChunkHead& head, std::string_view payload) {
  return SampleUnpacker(head, payload).unpack();
}

}  // namespace compmond::recording
