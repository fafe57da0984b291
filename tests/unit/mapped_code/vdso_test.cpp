// SPDX-License-Identifier: Apache-2.0
#include "mapped_code/vdso.h"

#include <doctest/doctest.h>
#include <elf.h>

#include <cstring>

#include "core/read_at.h"

using namespace compmond;

TEST_CASE("vdso: its copy is an ELF file") {
  const Fd file = sampler::copy_vdso();
  REQUIRE(file.valid());
  char magic[SELFMAG];
  REQUIRE(read_at(file, magic, sizeof magic, 0) == sizeof magic);
  CHECK(std::memcmp(magic, ELFMAG, SELFMAG) == 0);
}
