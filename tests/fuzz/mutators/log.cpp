// SPDX-License-Identifier: Apache-2.0
#include <string>

#include "bytes.h"
#include "logs.h"

// Of a whole file what stands behind its hashes; a chunk's payload byte by byte.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace compmond;
  fuzz::Dice dice(seed);
  const bool whole = size > 0 && data[0] != 5 && data[0] != 6 && data[0] % 5 == 0;
  if (!dice.one_in(16) && (!whole || dice.one_in(16))) return LLVMFuzzerMutate(data, size, most);
  std::string log =
      whole ? fuzz::mutated_log(fuzz::text_of(data + 1, size - 1), dice) : std::string();
  if (log.empty()) log = fuzz::mutated_log(fuzz::sound_log(), dice);
  return fuzz::as_input('\0' + log, data, size, most);
}
