// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "core/byte_stream.h"

// What compmond and its unwinding child tell each other: a head, then values.
namespace compmond::unwind {

enum class Kind : uint32_t {
  kImage,    // number, path, whether its rows are to be read; then guard::send_file
  kMap,      // pid, start, end, offset, image
  kFork,     // parent, child
  kForget,   // pid
  kNames,    // pid, number, first place: of its perf map; then guard::send_file
  kWalk,     // how many stacks lie on the desk; answered by any number of kOpen and kLeftOut, and
             // kWalked
  kOpen,     // number, path: of a separate debug file; answered by guard::send_file
  kLeftOut,  // MadeCode::Report
  kWalked,  // for each: ended, stack_top, number of frames, and of each its image and vaddr; number
            // of functions met for the first time, and of each its image, start, end and name
};
struct Head {
  Kind kind = Kind::kWalk;
  uint32_t size = 0;  // bytes of what follows
};

inline std::string message(Kind kind, std::string body) {
  const Head head{kind, uint32_t(body.size())};
  return std::string(reinterpret_cast<const char*>(&head), sizeof head) + body;
}

template <class... Values>
std::string packed(Kind kind, const Values&... values) {
  ByteWriter writer;
  writer(values...);
  return message(kind, writer.take());
}

}  // namespace compmond::unwind
