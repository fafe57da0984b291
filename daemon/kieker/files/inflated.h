// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "kieker_files/byte_source.h"

namespace compmond::kieker {

// How zlib's data is wrapped: RFC 1950, which no archiver writes files of but Java's streams do; or
// as gzip does (RFC 1952).
enum class Wrapping { kZlib, kGzip };

// What zlib packed, unpacked: one stream or several, one behind the other. A checksum that does not
// fit is damage, as is what stands behind the streams and is none, unless all of it is zero.
// `path` is for messages.
std::unique_ptr<ByteSource> inflated(std::unique_ptr<ByteSource> packed, Wrapping wrapping,
                                     std::string path);

}  // namespace compmond::kieker
