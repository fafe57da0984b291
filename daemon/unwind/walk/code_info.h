// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "sampling/sample.h"
#include "walk/row.h"

namespace compmond::unwind {

// What a walk asks of the images. Tests make theirs by hand.
class CodeInfo {
 public:
  virtual ~CodeInfo() = default;
  // The address, as in the file, of what lies at `offset` of it; nothing where the file cannot be
  // read.
  virtual std::optional<uint64_t> vaddr_of(sampling::ImageNumber image, uint64_t offset) = 0;
  virtual Row row(sampling::ImageNumber image, uint64_t vaddr) = 0;
  // For who goes on at `pc`, where row() knows nothing: from the code itself.
  virtual Row row_by_code(sampling::ImageNumber image, uint64_t pc) = 0;
  virtual const Rules& rules(sampling::ImageNumber image, uint32_t number) = 0;
  // Bytes of the file that no process can have changed; how many of `to` there were.
  virtual size_t read(sampling::ImageNumber image, uint64_t vaddr, std::span<uint8_t> to) = 0;
};

}  // namespace compmond::unwind
