// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>
#include <fcntl.h>

#include <array>
#include <string>
#include <vector>

#include "elf/image.h"

// Unmodified binaries of the distribution; scripts/setup installs all of them.
constexpr std::array kRealBinaries{"/usr/lib/postgresql/15/bin/postgres",
                                   "/usr/lib/x86_64-linux-gnu/libsqlite3.so.0",
                                   "/usr/lib/x86_64-linux-gnu/libstdc++.so.6",
                                   "/usr/bin/python3.11", "/usr/lib/x86_64-linux-gnu/libc.so.6"};

inline compmond::elf::Image open_image(const std::string& path) {
  compmond::Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE_MESSAGE(fd.valid(), path, " is missing: run scripts/setup");
  auto image = compmond::elf::Image::open(std::move(fd), path);
  if (!image) FAIL(image.error().text());
  return std::move(*image);
}

// Functions of the image, spread evenly, few enough to keep a test short.
inline std::vector<compmond::elf::Symbol> sample(const compmond::elf::Image& image) {
  constexpr size_t kSample = 400;
  std::vector<compmond::elf::Symbol> all;
  for (const auto& symbol : image.symbols())
    if (symbol.kind == compmond::elf::SymbolKind::kFunction && symbol.size > 0 &&
        (all.empty() || all.back().vaddr + all.back().size <= symbol.vaddr))
      all.push_back(symbol);
  std::vector<compmond::elf::Symbol> some;
  const size_t step = all.size() / kSample + 1;
  for (size_t i = 0; i < all.size(); i += step) some.push_back(all[i]);
  return some;
}
