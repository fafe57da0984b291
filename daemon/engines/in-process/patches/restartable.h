// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "elf/image.h"

namespace compmond::inprocess {

// Code that has to stay where it is since the kernel looks at where a thread is in it (rseq(2)):
// the restartable sequences that an image describes in its data, the handlers to which they are
// broken off, each with the signature before it, and where a handler goes on. By address, apart
// from each other. Sequences that a program describes only as it runs are found by their handlers,
// where these have the usual signature. What cannot be read shows none.
std::vector<elf::Image::Range> restartable_code(const elf::Image& image);

}  // namespace compmond::inprocess
