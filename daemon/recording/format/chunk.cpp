// SPDX-License-Identifier: Apache-2.0
#include "log_format/chunk.h"

#include <xxhash.h>
#include <zstd.h>

#include <memory>

#include "log_format/bytes.h"

namespace compmond::recording {
namespace {

constexpr std::string_view kTrailerMagic = "CMLOGEND";
constexpr int kLevel = 1;  // the events are already packed; higher levels gain 3 % and take thrice

uint64_t hash(std::string_view bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct FreePacker {
  void operator()(ZSTD_CCtx* context) const { ::ZSTD_freeCCtx(context); }
};

}  // namespace

std::string seal(ChunkHead& head, std::string_view payload) {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreePacker> packer(::ZSTD_createCCtx());
  std::string packed(::ZSTD_compressBound(payload.size()), '\0');
  const size_t size = ::ZSTD_compressCCtx(packer.get(), packed.data(), packed.size(),
                                          payload.data(), payload.size(), kLevel);
  packed.resize(size);  // the room was enough, so it cannot have failed
  head.stored = uint32_t(packed.size());
  head.raw = uint32_t(payload.size());
  head.payload_hash = hash(packed);

  std::string out(kChunkMagic);
  put_fixed(out, uint32_t(head.type), 4);
  put_fixed(out, head.events, 4);
  put_fixed(out, head.stored, 4);
  put_fixed(out, head.raw, 4);
  put_fixed(out, head.first_event, 8);
  put_fixed(out, head.min_ns, 8);
  put_fixed(out, head.max_ns, 8);
  put_fixed(out, head.payload_hash, 8);
  put_fixed(out, hash(out), 8);
  return out + packed;
}

std::optional<ChunkHead> parse_head(std::string_view bytes) {
  if (bytes.size() < kHeadBytes || !bytes.starts_with(kChunkMagic)) return std::nullopt;
  Unpacker in(bytes.substr(kChunkMagic.size(), kHeadBytes - kChunkMagic.size()));
  ChunkHead head;
  head.type = ChunkType(in.fixed(4));
  head.events = uint32_t(in.fixed(4));
  head.stored = uint32_t(in.fixed(4));
  head.raw = uint32_t(in.fixed(4));
  head.first_event = in.fixed(8);
  head.min_ns = in.fixed(8);
  head.max_ns = in.fixed(8);
  head.payload_hash = in.fixed(8);
  if (in.fixed(8) != hash(bytes.substr(0, kHeadBytes - 8))) return std::nullopt;
  if (head.stored > kMaxPayload || head.raw > kMaxPayload || head.events > kMaxEvents)
    return std::nullopt;
  return head;
}

std::optional<std::string> unseal(const ChunkHead& head, std::string_view stored) {
  if (stored.size() != head.stored || hash(stored) != head.payload_hash) return std::nullopt;
  std::string out(head.raw, '\0');
  const size_t size = ::ZSTD_decompress(out.data(), out.size(), stored.data(), stored.size());
  if (::ZSTD_isError(size) || size != out.size()) return std::nullopt;
  return out;
}

std::string make_trailer(uint64_t index_offset) {
  std::string out(kTrailerMagic);
  put_fixed(out, index_offset, 8);
  put_fixed(out, hash(out), 8);
  return out;
}

std::optional<uint64_t> parse_trailer(std::string_view bytes) {
  if (bytes.size() != kTrailerBytes || !bytes.starts_with(kTrailerMagic)) return std::nullopt;
  Unpacker in(bytes.substr(kTrailerMagic.size()));
  const uint64_t offset = in.fixed(8);
  if (in.fixed(8) != hash(bytes.substr(0, kTrailerBytes - 8))) return std::nullopt;
  return offset;
}

}  // namespace compmond::recording
