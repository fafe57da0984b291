// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/fd.h"
#include "prepare/resolve.h"

// What a confined child that reads `files` gets to see.
namespace compmond::prepare {

// For guard::Opener: only where debug files of that one lie, and only what is an ELF file; else
// nothing.
Fd open_debug_file(const std::vector<ImageFile>& files, uint32_t where, const std::string& path);

std::vector<int> descriptors(const std::vector<ImageFile>& files);

}  // namespace compmond::prepare
