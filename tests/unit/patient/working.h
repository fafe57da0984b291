// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "../surgery/child.h"
#include "code/memory.h"
#include "elf/image.h"
#include "patches/patcher.h"
#include "patient/patient.h"
#include "rings/ring_reader.h"

// Children that work in two functions of this program, which are patched there.
extern "C" {
long patient_inner(long value);
long patient_outer(long value);
}

namespace compmond::inprocess::test {

inline long expected_of(long first) {
  long sum = 0;
  for (const long value : {first, first + 1}) {
    long out = value;
    for (int k = 0; k < 20; ++k) out = out * 31 + k;
    sum += out;
  }
  return sum;
}

[[noreturn]] inline void work_forever() {
  for (long i = 0;; ++i) {
    if (patient_outer(i) != expected_of(i)) ++shared->wrong;
    ++shared->turns;
  }
}

// This program's file, from which a child's functions are patched.
class Own {
 public:
  Own() : image_(open()) {
    struct stat st {};
    REQUIRE(::stat("/proc/self/exe", &st) == 0);
    file_ = {st.st_dev, st.st_ino};
  }
  std::vector<Patient::Function> functions() {
    const auto memory = code::memory_of(image_);
    Patcher patcher(image_);
    std::vector<Patient::Function> out;
    for (const char* name : {"patient_inner", "patient_outer"}) {
      const auto found = std::ranges::find(image_.symbols(), name, &elf::Symbol::name);
      REQUIRE(found != image_.symbols().end());
      const auto patches = patcher.plan(*found);
      REQUIRE_MESSAGE(!patches.refused(), patches.refusal);
      const auto code = portable(*memory, patches);
      REQUIRE(code);
      const auto number = uint32_t(out.size());
      out.push_back({number, file_, found->vaddr, *image_.file_offset(found->vaddr),
                     uint32_t(sites.size()) + 1, packed(*code)});
      for (const Site& site : code->sites)
        sites.push_back({number,
                         site.kind == Site::Kind::kExit ? compmond::record::EventKind::kExit
                                                        : compmond::record::EventKind::kEntry,
                         0, site.depth});
    }
    return out;
  }
  std::vector<SiteEvent> sites;

 private:
  static elf::Image open() {
    auto image = elf::Image::open(Fd(::open("/proc/self/exe", O_RDONLY | O_CLOEXEC)), "self");
    REQUIRE(image);
    return std::move(*image);
  }
  elf::Image image_;
  FileId file_;
};

inline std::string maps_of(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/maps", pid));
  std::stringstream out;
  out << file.rdbuf();
  return out.str();
}

inline constexpr SharedLayout kLayout{.threads = 16, .ring = 4096};

}  // namespace compmond::inprocess::test
