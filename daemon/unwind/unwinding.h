// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sampling/unwinder.h"
#include "unwind/functions.h"
#include "unwind/images.h"
#include "unwind/made_code.h"
#include "walk/address_space.h"

namespace compmond::unwind {

// Unwinds in this process: for files that are trusted, and inside a confined child. One thread.
class Unwinding : public sampling::Unwinder {
 public:
  explicit Unwinding(Images::Working working = {}, Images::DebugFiles debug_files = {},
                     MadeCode::Outside made_code = {})
      : images_(std::move(working), std::move(debug_files)), made_code_(std::move(made_code)) {}

  void add(const sampling::Image& image, const Fd& file) override;
  // As above; without `rows` only where its segments lie is known of it.
  void add(sampling::ImageNumber number, const std::string& path, Fd file, bool rows) {
    images_.add(number, path, std::move(file), rows);
  }
  void name_code(uint32_t pid, sampling::ImageNumber image, const Fd& perf_map) override;
  // As above; `first`: see MadeCode::tell.
  void name_code(uint32_t pid, sampling::ImageNumber image, uint64_t first, Fd perf_map) {
    made_code_.tell(pid, image, first, std::move(perf_map));
  }
  void map(uint32_t pid, const sampling::Mapping& mapping) override { spaces_.map(pid, mapping); }
  void fork(uint32_t parent, uint32_t child) override;
  void forget(uint32_t pid) override;
  void walk(std::span<const sampling::RawSample> samples,
            const std::function<void(size_t index, const sampling::Walked& walked)>& take) override;

 private:
  AddressSpaces spaces_;
  Images images_;
  Functions functions_{images_};
  MadeCode made_code_;
  sampling::Walked walked_;
};

}  // namespace compmond::unwind
