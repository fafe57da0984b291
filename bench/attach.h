// SPDX-License-Identifier: Apache-2.0
// What the programs that observe for comparison share: they end with a message at the first error.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "elf/image.h"

namespace compmond::bench {

[[noreturn]] inline void die(const std::string& why) {
  fmt::print(stderr, "bench: {}\n", why);
  std::exit(1);
}

template <class T>
T value(Result<T> result) {
  if (!result) die(result.error().what + ": " + result.error().why);
  return std::move(*result);
}

inline elf::Image open_image(const std::string& path) {
  return value(elf::Image::open(Fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), path));
}

inline const elf::Symbol& symbol(const elf::Image& image, const std::string& name) {
  const auto found =
      std::ranges::find_if(image.symbols(), [&](const auto& one) { return one.name == name; });
  if (found == image.symbols().end()) die("no symbol " + name);
  return *found;
}

// Says that everything is attached, and returns at the end of stdin.
inline void serve_until_told() {
  fmt::print("ready\n");
  std::fflush(stdout);
  char byte;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
}

}  // namespace compmond::bench
