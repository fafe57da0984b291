// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "filehost/request.h"

namespace fh {

// XORs the content with a key stream made from `key` and returns a checksum of what came out;
// applying it twice gives the content back. A load for the processor, no protection for anything.
uint64_t apply_key_stream(Bytes& content, uint64_t key);

// The key that belongs to a path.
uint64_t key_of(const std::string& path);

}  // namespace fh
