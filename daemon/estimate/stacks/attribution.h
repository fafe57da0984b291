// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "sampling/frame_cache.h"
#include "sampling/sample.h"
#include "stacks/key.h"
#include "stacks/model.h"

namespace compmond::estimate {

constexpr int kNoOperation = -1;

// What a stack counts for.
struct Attributed {
  int operation = kNoOperation;  // the innermost one
  bool cut = false;              // callers are missing: what is within may be more
  std::vector<Key> own;          // of the innermost operation, or elsewhere; each once
  std::vector<Key> within;       // of all operations on the stack; each once
};

// From stacks to operations. A frame in no operation's code (library, vDSO, PLT, signal handler)
// belongs to the innermost operation below it, which is why only frames within operations count.
// Answers the same, however often it is asked. Told of images and asked on one thread at a time.
class Attribution {
 public:
  explicit Attribution(Model model);
  Attribution(const Attribution&) = delete;  // keeps pointers into itself
  Attribution& operator=(const Attribution&) = delete;

  // A file is an operation's when both build ids are known and equal, or when one of them is not
  // known and device and inode are equal.
  void on_image(const sampling::Image& image);
  int operation_of(const sampling::Frame& frame) const;
  bool has_operations(sampling::ImageNumber image) const {
    return image < files_of_image_.size() && !files_of_image_[image].empty();
  }
  int component_of(int operation) const { return model_.operations[size_t(operation)].component; }
  // Both: innermost first.
  std::vector<int> operations_on(std::span<const sampling::Frame> frames) const;
  Attributed attribute(std::span<const sampling::Frame> frames, sampling::Ended ended) const;
  const Model& model() const { return model_; }
  bool contains_others(int component) const { return contains_others_[size_t(component)]; }

 private:
  struct Code {
    uint64_t vaddr, end;
    int operation;
  };
  using File = std::vector<Code>;  // by address
  using FileId = std::tuple<uint64_t, uint64_t, std::string>;

  int find_operation(const sampling::Frame& frame) const;
  void add_own(Attributed& to) const;
  void add_within(Attributed& to, const std::vector<int>& operations) const;

  Model model_;
  std::vector<bool> contains_others_;
  std::map<FileId, File> files_;
  std::vector<std::vector<const File*>> files_of_image_;  // by image number
  mutable sampling::FrameCache<int> found_;
};

}  // namespace compmond::estimate
