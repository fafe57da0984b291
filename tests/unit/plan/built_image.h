// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>

#include "elf/image.h"
#include "plan/planner.h"

// A shared library built while the test runs, as the target's image `path`. `source` is C, C++ or
// assembly, by `suffix`.
inline compmond::plan::Candidate built_image(const std::string& path, const std::string& suffix,
                                             const std::string& source, bool main = false,
                                             const std::string& flags = {}) {
  char folder[] = "/tmp/compmond-plan-XXXXXX";
  REQUIRE(mkdtemp(folder) != nullptr);
  const std::string base = folder, file = base + "/code" + suffix, library = base + "/libcode.so";
  std::ofstream(file) << source << "\n";
  const std::string command = "cc -O1 -fPIC -fcf-protection=none -shared -nostdlib -Wl,-z,undefs " +
                              flags + " -o " + library + " " + file;
  REQUIRE(std::system(command.c_str()) == 0);
  auto image =
      compmond::elf::Image::open(compmond::Fd(::open(library.c_str(), O_RDONLY | O_CLOEXEC)), path);
  if (std::system(("rm -r " + base).c_str()) != 0) FAIL("cannot remove ", base);
  if (!image) FAIL(image.error().text());
  return {std::make_shared<const compmond::elf::Image>(std::move(*image)), path, main};
}
