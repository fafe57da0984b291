// SPDX-License-Identifier: Apache-2.0
#include "filehost/cipher.h"

namespace fh {
namespace {

constexpr int kRounds = 200;  // dear enough for the default load to take about a third of a core

uint64_t next_word(uint64_t& state) {
  state += 0x9e3779b97f4a7c15;
  uint64_t word = state;
  for (int round = 0; round < kRounds; ++round) {
    word ^= word >> 31;
    word *= 0xbf58476d1ce4e5b9;
    word = (word << 27) | (word >> 37);
  }
  return word;
}

}  // namespace

uint64_t apply_key_stream(Bytes& content, uint64_t key) {
  uint64_t state = key;
  uint64_t sum = 0;
  for (size_t i = 0; i < content.size(); i += 8) {
    uint64_t word = next_word(state);
    for (size_t j = i; j < content.size() && j < i + 8; ++j) {
      content[j] = static_cast<uint8_t>(content[j] ^ word);
      sum = sum * 31 + content[j];
      word >>= 8;
    }
  }
  return sum;
}

uint64_t key_of(const std::string& path) {
  uint64_t key = 0xcbf29ce484222325;
  for (const char c : path) key = (key ^ static_cast<uint8_t>(c)) * 0x100000001b3;
  return key;
}

}  // namespace fh
