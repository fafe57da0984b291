// SPDX-License-Identifier: Apache-2.0
#include "sample_scene.h"

#include <fmt/format.h>

#include <iterator>

namespace compmond::sampling {
namespace {

constexpr uint64_t kFunctionBytes = 256;
constexpr uint64_t kFunctions = 20;
constexpr uint64_t kSampleNs = SampleScene::kSecond / 200;

}  // namespace

void SampleLines::on_image(const Image& image) {
  images_[image.number] = image;
  ++images;
}

void SampleLines::on_function(const Function& function) {
  functions_[{function.image, function.start}] = function;
  ++functions;
}

std::string SampleLines::name_of(const Frame& frame) const {
  const auto image = images_.find(frame.image);
  std::string out = image == images_.end()
                        ? fmt::format("{}", frame.image)
                        : fmt::format("{}:{}:{}:{}", image->second.path, image->second.device,
                                      image->second.inode, image->second.build_id);
  out += fmt::format("+{:x}", frame.vaddr);
  const auto behind = functions_.upper_bound({frame.image, frame.vaddr});
  if (behind == functions_.begin()) return out;
  const Function& function = std::prev(behind)->second;
  const bool within = function.image == frame.image && frame.vaddr < function.end;
  return within ? fmt::format("{} {}", out, function.name) : out;
}

void SampleLines::on_sample(const Sample& sample) {
  std::string line = fmt::format(
      "{} {}/{} at {} {} {} {} off {} {} {}:", sample.kind == Sample::Kind::kOnCpu ? "on" : "off",
      sample.pid, sample.tid, sample.time_ns, int(sample.ended), sample.in_kernel, sample.in_probe,
      sample.off_ns, sample.runnable_ns, sample.weight_ns);
  for (const Frame& frame : sample.frames) line += fmt::format(" [{}]", name_of(frame));
  lines.push_back(std::move(line));
  ++samples;
}

void SampleLines::on_stretch(const Stretch& stretch) {
  std::string line = fmt::format("stretch {} to {} {} {} {} {} lost {}:", stretch.start_ns,
                                 stretch.end_ns, stretch.hz, stretch.off_cpu, stretch.sees_probes,
                                 stretch.off_cpu_period_ns, stretch.lost);
  for (const auto& process : stretch.processes)
    line += fmt::format(" {} {}", process.pid, process.cpu_ns);
  lines.push_back(std::move(line));
  lost += stretch.lost;
}

SampleScene::SampleScene(SampleSink& to) : to_(to) {
  to_.on_image({kVdso, "[vdso]", 0, 0, ""});
  to_.on_image({kFirstFile, "/bin/made-up", 8, 100, "ab12"});
  to_.on_image({kFirstFile + 1, "/lib/libmade.so", 8, 101, ""});
  for (uint64_t i = 0; i < kFunctions; ++i)
    to_.on_function({ImageNumber(kFirstFile + i % 2), i * kFunctionBytes,
                     i * kFunctionBytes + kFunctionBytes,
                     i % 7 == 6 ? "" : fmt::format("made::function_{}(int)", i)});
}

uint64_t SampleScene::random(uint64_t below) {
  noise_ = noise_ * 6364136223846793005u + 1442695040888963407u;
  return (noise_ >> 33) % below;
}

void SampleScene::put_sample() {
  Sample sample;
  sample.pid = uint32_t(100 + random(2));
  sample.tid = sample.pid + uint32_t(random(3));
  sample.time_ns = now_ns_ - random(1000);
  sample.ended = random(20) == 0 ? Ended(1 + random(2)) : Ended::kComplete;
  if (random(4) == 0) {
    sample.kind = Sample::Kind::kOffCpu;
    sample.off_ns = random(30'000'000);
    sample.runnable_ns = random(sample.off_ns + 1);
    sample.weight_ns = std::max<uint64_t>(sample.off_ns, 5'000'000);
  } else {
    sample.in_kernel = random(5) == 0;
    sample.in_probe = sample.in_kernel && sample.tid % 2 == 0;
  }
  std::vector<Frame> frames;
  if (random(10) == 0) frames.push_back({random(2) == 0 ? kVdso : kNoImage, random(1u << 20)});
  for (uint64_t depth = random(9); depth-- > 0;) {
    const uint64_t function = random(kFunctions);
    frames.push_back({ImageNumber(kFirstFile + function % 2),
                      function * kFunctionBytes + 16 * random(kFunctionBytes / 16)});
  }
  sample.frames = frames;
  to_.on_sample(sample);
}

void SampleScene::put_stretch() {
  Stretch stretch;
  stretch.start_ns = stretched_ns_;
  stretch.end_ns = stretched_ns_ += kSecond;
  stretch.hz = 199.5;
  stretch.off_cpu = stretch.sees_probes = true;
  stretch.off_cpu_period_ns = 5'000'000;
  stretch.processes = {{100, 300'000'000 + random(100)}, {101, 200'000'000 + random(100)}};
  stretch.lost = random(3);
  to_.on_stretch(stretch);
}

void SampleScene::pass(uint64_t seconds) {
  for (const uint64_t end = now_ns_ + seconds * kSecond; now_ns_ < end;) {
    now_ns_ += kSampleNs;
    put_sample();
    if (now_ns_ - stretched_ns_ > kSecond + 10 * kSampleNs) put_stretch();
  }
}

void tell(const recording::SampleBlock& block, SampleSink& to) {
  for (const Image& image : block.images) to.on_image(image);
  for (const Function& function : block.functions) to.on_function(function);
  auto stretch = block.stretches.begin();
  for (size_t i = 0; i <= block.samples.size(); ++i) {
    for (; stretch != block.stretches.end() && stretch->after == i; ++stretch)
      to.on_stretch(stretch->stretch);
    if (i == block.samples.size()) break;
    const auto& [taken, innermost] = block.samples[i];
    std::vector<Frame> frames;
    for (uint32_t at = innermost; at != recording::SampleBlock::kNoCall;
         at = block.calls[at].caller)
      frames.push_back(block.calls[at].frame);
    Sample sample = taken;
    sample.frames = frames;
    to.on_sample(sample);
  }
}

}  // namespace compmond::sampling
