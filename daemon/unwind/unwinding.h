// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling/unwinder.h"
#include "unwind/address_space.h"
#include "unwind/functions.h"
#include "unwind/images.h"

namespace compmond::unwind {

// Unwinds in this process: for files that are trusted, and inside a confined child. One thread.
class Unwinding : public sampling::Unwinder {
 public:
  explicit Unwinding(Images::Working working = {}, Images::DebugFiles debug_files = {})
      : images_(std::move(working), std::move(debug_files)) {}

  void add(const sampling::Image& image, const Fd& file) override;
  // As above; without `rows` only where its segments lie is known of it.
  void add(sampling::ImageNumber number, const std::string& path, Fd file, bool rows) {
    images_.add(number, path, std::move(file), rows);
  }
  void map(uint32_t pid, const sampling::Mapping& mapping) override { spaces_.map(pid, mapping); }
  void fork(uint32_t parent, uint32_t child) override { spaces_.fork(parent, child); }
  void forget(uint32_t pid) override { spaces_.forget(pid); }
  void walk(std::span<const sampling::RawSample> samples,
            const std::function<void(size_t index, const sampling::Walked& walked)>& take) override;

 private:
  AddressSpaces spaces_;
  Images images_;
  Functions functions_{images_};
  sampling::Walked walked_;
};

}  // namespace compmond::unwind
