// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

// Little-endian numbers of fixed and of variable length.
namespace compmond::recording {

inline void put_fixed(std::string& out, uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out.push_back(char(value >> (8 * i)));
}

// Seven bits a byte, the lowest first; the highest bit says that more follow. At most ten bytes.
inline void put_varint(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out.push_back(char(value | 0x80));
  out.push_back(char(value));
}

// Signed differences with small magnitudes as small numbers: 0, -1, 1, -2, …
inline uint64_t zigzag(uint64_t difference) { return (difference << 1) ^ (0 - (difference >> 63)); }
inline uint64_t unzigzag(uint64_t value) { return (value >> 1) ^ (0 - (value & 1)); }

// Takes numbers off the head of some bytes. Zeros once they are used up or malformed; ok() tells.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes)
      : at_(reinterpret_cast<const uint8_t*>(bytes.data())), end_(at_ + bytes.size()) {}

  bool ok() const { return ok_; }
  size_t left() const { return size_t(end_ - at_); }

  uint64_t fixed(int bytes) {
    if (left() < size_t(bytes)) return fail();
    uint64_t value = 0;
    for (int i = 0; i < bytes; ++i) value |= uint64_t(*at_++) << (8 * i);
    return value;
  }
  uint64_t varint() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && at_ != end_; shift += 7) {
      const uint8_t byte = *at_++;
      value |= uint64_t(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return fail();
  }
  std::string_view text(size_t size) {
    if (left() < size) {
      fail();
      return {};
    }
    const std::string_view out(reinterpret_cast<const char*>(at_), size);
    at_ += size;
    return out;
  }

 private:
  uint64_t fail() {
    ok_ = false;
    at_ = end_;
    return 0;
  }
  const uint8_t* at_;
  const uint8_t* end_;
  bool ok_ = true;
};

}  // namespace compmond::recording
