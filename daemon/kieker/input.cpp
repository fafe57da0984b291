// SPDX-License-Identifier: Apache-2.0
#include "kieker/input.h"

#include <algorithm>

namespace compmond::kieker {

bool Input::fill() {
  if (ended_) return false;
  before_ += size_;
  at_ = size_ = 0;
  auto got = source_->read(block_.data(), block_.size());
  if (!got) error_ = std::move(got.error());
  size_ = got ? *got : 0;
  ended_ = size_ == 0;
  return !ended_;
}

bool Input::line(std::string& out, size_t most, bool& cut) {
  out.clear();
  cut = false;
  bool any = false;
  while (at_ < size_ || fill()) {
    any = true;
    const char* const from = block_.data() + at_;
    const auto* const end = static_cast<const char*>(std::memchr(from, '\n', size_ - at_));
    const size_t length = end ? size_t(end - from) : size_ - at_;
    const size_t room = most - out.size();
    out.append(from, std::min(length, room));
    cut |= length > room;
    at_ += length + (end ? 1 : 0);
    if (end) return true;
  }
  return any;
}

}  // namespace compmond::kieker
