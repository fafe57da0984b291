// SPDX-License-Identifier: Apache-2.0
#include "commands/gzip.h"

#include <zlib.h>

#include <array>
#include <new>

namespace compmond::commands {

struct Gzip::State {
  z_stream stream{};
  std::array<char, 64 << 10> packed;
};

void Gzip::Free::operator()(State* state) const {
  ::deflateEnd(&state->stream);
  delete state;
}

Gzip::Gzip() : state_(new State) {
  constexpr int kGzip = 16, kWindowBits = 15, kMemoryLevel = 8;  // the latter two are zlib's own
  if (::deflateInit2(&state_->stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kWindowBits + kGzip,
                     kMemoryLevel, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();  // nothing else can fail
}

void Gzip::add(std::string_view text, const Sink& sink) { pack(text, Z_NO_FLUSH, sink); }

void Gzip::finish(const Sink& sink) { pack({}, Z_FINISH, sink); }

void Gzip::pack(std::string_view text, int flush, const Sink& sink) {
  z_stream& stream = state_->stream;
  auto& packed = state_->packed;
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = uInt(text.size());
  do {
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = uInt(packed.size());
    ::deflate(&stream, flush);
    sink({packed.data(), packed.size() - stream.avail_out});
  } while (stream.avail_out == 0);
}

}  // namespace compmond::commands
