// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "log_format/sample_block.h"
#include "sampling/sample.h"

namespace compmond::sampling {

// Everything that a sink was told, as text, one line per sample and stretch. A sample's line names
// image and function of each of its frames, as they were told before.
class SampleLines : public SampleSink {
 public:
  void on_image(const Image& image) override;
  void on_function(const Function& function) override;
  void on_sample(const Sample& sample) override;
  void on_stretch(const Stretch& stretch) override;

  std::vector<std::string> lines;
  size_t samples = 0, images = 0, functions = 0;
  uint64_t lost = 0;

 private:
  std::string name_of(const Frame& frame) const;

  std::map<ImageNumber, Image> images_;
  std::map<std::pair<ImageNumber, uint64_t>, Function> functions_;
};

// A made-up program, sampled: two processes of three threads, on CPUs and waiting, in some twenty
// functions of two files and the vDSO, some of them recursive and some without names; 200 samples
// and a stretch each second. Tells the same to everybody who asks for the same.
class SampleScene {
 public:
  static constexpr uint64_t kStart = 1'000'000'000, kSecond = 1'000'000'000;
  explicit SampleScene(SampleSink& to);
  // Samples of the next so many seconds, each second's stretch behind the first samples of the next
  // one, as they come live.
  void pass(uint64_t seconds);
  uint64_t now_ns() const { return now_ns_; }

 private:
  void put_sample();
  void put_stretch();
  uint64_t random(uint64_t below);

  SampleSink& to_;
  uint64_t now_ns_ = kStart, stretched_ns_ = kStart, noise_ = 7;
};

// Hands over a block as the reader of a log does.
void tell(const recording::SampleBlock& block, SampleSink& to);

}  // namespace compmond::sampling
