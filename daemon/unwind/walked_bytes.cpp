// SPDX-License-Identifier: Apache-2.0
#include "unwind/walked_bytes.h"

#include <string>

#include "core/byte_stream.h"
#include "text/clean.h"

namespace compmond::unwind {
namespace {

bool read_function(ByteReader& reader, sampling::Function& out) {
  std::string name;
  reader(out.image, out.start, out.end, name);
  if (!reader.good() || name.size() > limits::kFunctionNameBytes || out.start >= out.end)
    return false;
  out.name = text::clean(name);
  return true;
}

bool read_one(ByteReader& reader, sampling::Walked& out) {
  uint32_t frames = 0, functions = 0;
  out.frames.clear();
  out.functions.clear();
  reader(out.ended, out.stack_top, frames);
  if (!reader.good() || out.ended > sampling::Ended::kBroken || frames == 0 ||
      frames > kWalkedFrames)
    return false;
  for (uint32_t i = 0; i < frames; ++i) {
    sampling::Frame& frame = out.frames.emplace_back();
    reader(frame.image, frame.vaddr);
  }
  reader(functions);
  if (!reader.good() || functions > kWalkedFrames) return false;
  for (uint32_t i = 0; i < functions; ++i)
    if (!read_function(reader, out.functions.emplace_back())) return false;
  return true;
}

}  // namespace

bool read_walked(std::string_view bytes, std::span<sampling::Walked> out) {
  ByteReader reader(bytes);
  for (sampling::Walked& walked : out)
    if (!read_one(reader, walked)) return false;
  return reader.at_end();
}

}  // namespace compmond::unwind
