// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "sampling/unwinder.h"

namespace compmond::test {

// Keeps what it is told, a line each.
class FakeUnwinder : public sampling::Unwinder {
 public:
  std::vector<std::string> told;

  void add(const sampling::Image& image, const Fd& file) override {
    told.push_back(
        fmt::format("add {} {} {}", image.number, image.path, file.valid() ? "open" : "not open"));
  }
  void name_code(uint32_t pid, sampling::ImageNumber image, const Fd& perf_map) override {
    told.push_back(
        fmt::format("name {} image {} {}", pid, image, perf_map.valid() ? "open" : "not open"));
  }
  void map(uint32_t pid, const sampling::Mapping& one) override {
    told.push_back(fmt::format("map {} {:x}-{:x} {:x} image {}", pid, one.start, one.end,
                               one.offset, one.image));
  }
  void fork(uint32_t parent, uint32_t child) override {
    told.push_back(fmt::format("fork {} {}", parent, child));
  }
  void forget(uint32_t pid) override { told.push_back(fmt::format("forget {}", pid)); }
  void walk(std::span<const sampling::RawSample>,
            const std::function<void(size_t, const sampling::Walked&)>&) override {}
};

}  // namespace compmond::test
