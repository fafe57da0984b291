// SPDX-License-Identifier: Apache-2.0
#include "stacks/attribution.h"

#include <algorithm>
#include <utility>

namespace compmond::estimate {

Attribution::Attribution(Model model)
    : model_(std::move(model)), contains_others_(model_.parent_of.size(), false) {
  for (const int parent : model_.parent_of)
    if (parent >= 0) contains_others_[size_t(parent)] = true;
  for (size_t op = 0; op < model_.operations.size(); ++op) {
    const Model::Operation& operation = model_.operations[op];
    File& file = files_[{operation.device, operation.inode, operation.build_id}];
    for (const Model::Range& range : operation.ranges)
      file.push_back({range.vaddr, range.vaddr + range.size, int(op)});
  }
  for (auto& [id, file] : files_)
    std::ranges::sort(file, {}, [](const Code& code) { return code.vaddr; });
}

void Attribution::on_image(const sampling::Image& image) {
  if (image.number >= files_of_image_.size()) files_of_image_.resize(image.number + 1);
  std::vector<const File*>& files = files_of_image_[image.number];
  files.clear();
  found_.clear();
  for (const auto& [id, file] : files_) {
    const auto& [device, inode, build_id] = id;
    const bool told = !build_id.empty() && !image.build_id.empty();
    const bool same_place = inode != 0 && device == image.device && inode == image.inode;
    if (told ? build_id == image.build_id : same_place) files.push_back(&file);
  }
}

int Attribution::operation_of(const sampling::Frame& frame) const {
  if (const int* found = found_.find(frame)) return *found;
  const int operation = find_operation(frame);
  found_.put(frame, operation);
  return operation;
}

int Attribution::find_operation(const sampling::Frame& frame) const {
  if (frame.image >= files_of_image_.size()) return kNoOperation;
  for (const File* file : files_of_image_[frame.image]) {
    const auto behind = std::ranges::upper_bound(*file, frame.vaddr, {}, &Code::vaddr);
    if (behind == file->begin()) continue;
    const Code& code = *std::prev(behind);
    if (frame.vaddr < code.end) return code.operation;
  }
  return kNoOperation;
}

void Attribution::add_own(Attributed& to) const {
  const int component = component_of(to.operation);
  to.own.emplace_back(Kind::kOperationOwn, uint32_t(to.operation));
  to.own.emplace_back(Kind::kComponentOwn, uint32_t(component));
  for (int c = component; c >= 0; c = model_.parent_of[size_t(c)])
    if (contains_others(c)) to.own.emplace_back(Kind::kSubtreeOwn, uint32_t(c));
}

// `operations` innermost first, a caller behind its callee.
void Attribution::add_within(Attributed& to, const std::vector<int>& operations) const {
  const uint32_t first_caller = to.cut ? Key::kUnknown : Key::kBottom;
  for (size_t i = 0; i < operations.size(); ++i) {
    const auto op = uint32_t(operations[i]);
    const auto component = uint32_t(component_of(operations[i]));
    to.within.emplace_back(Kind::kOperationWithin, op);
    to.within.emplace_back(Kind::kComponentWithin, component);
    for (int c = int(component); c >= 0; c = model_.parent_of[size_t(c)])
      if (contains_others(c)) to.within.emplace_back(Kind::kSubtreeWithin, uint32_t(c));
    const bool called = i + 1 < operations.size();
    const uint32_t from = called ? uint32_t(component_of(operations[i + 1])) : first_caller;
    if (from != component) to.within.emplace_back(Kind::kEdge, from, component);
  }
  std::ranges::sort(to.within);
  to.within.erase(std::unique(to.within.begin(), to.within.end()), to.within.end());
  to.within.shrink_to_fit();
}

std::vector<int> Attribution::operations_on(std::span<const sampling::Frame> frames) const {
  std::vector<int> out;
  for (const sampling::Frame& frame : frames)
    if (const int op = operation_of(frame); op != kNoOperation) out.push_back(op);
  return out;
}

Attributed Attribution::attribute(std::span<const sampling::Frame> frames,
                                  sampling::Ended ended) const {
  Attributed out;
  out.cut = ended != sampling::Ended::kComplete;
  const std::vector<int> operations = operations_on(frames);
  if (operations.empty()) {
    const sampling::ImageNumber image = frames.empty() ? sampling::kNoImage : frames.front().image;
    out.own = {Key(Kind::kElsewhere, image), Key(Kind::kElsewhere, Key::kAll)};
    return out;
  }
  out.operation = operations.front();
  add_own(out);
  add_within(out, operations);
  return out;
}

}  // namespace compmond::estimate
