// SPDX-License-Identifier: Apache-2.0
#include "log_format/sample_codec.h"

#include <algorithm>
#include <bit>
#include <map>
#include <unordered_map>
#include <utility>

#include "log_format/bytes.h"
#include "log_format/sample_steps.h"

namespace compmond::recording {
namespace {

using sampling::ImageNumber;
using sampling::Sample;
using sampling::Stretch;

void put_text(std::string& out, std::string_view text) {
  put_varint(out, text.size());
  out += text;
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
                        (sample.in_kernel ? kInKernel : 0) | (sample.in_probe ? kInProbe : 0)));
    put_varint(out_, threads_.at({sample.pid, sample.tid}));
    put_varint(out_, zigzag(sample.time_ns - std::exchange(last_ns_, sample.time_ns)));
    put_varint(out_, uint64_t(taken.innermost + 1));  // 0 for kNoCall
    if (!off) return;
    put_varint(out_, sample.off_ns);
    put_varint(out_, sample.runnable_ns);
    put_varint(out_, zigzag(sample.weight_ns - sample.off_ns));
  }

  void put(const Stretch& stretch) {
    out_.push_back(char(kStretch | (stretch.off_cpu ? kWaitsSampled : 0) |
                        (stretch.sees_probes ? kSeesProbes : 0)));
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

}  // namespace

std::string encode(const SampleBlock& block, ChunkHead& head) {
  head.type = ChunkType::kSamples;
  head.events = uint32_t(block.samples.size());
  head.first_event = block.first_sample;
  find_times(block, head);
  return Packer(head).pack(block);
}

}  // namespace compmond::recording
