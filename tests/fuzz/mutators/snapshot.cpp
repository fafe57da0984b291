// SPDX-License-Identifier: Apache-2.0
#include "snapshot/snapshot.h"

#include <string>

#include "json_texts.h"

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t most, unsigned seed) {
  using namespace compmond;
  static const std::string kSound = to_json(snapshot::Snapshot(), JsonLayout::kCompact);
  return fuzz::mutate_json(data, size, most, seed, kSound);
}
