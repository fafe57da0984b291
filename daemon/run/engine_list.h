// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "engine/engines.h"

namespace compmond::run {

// Every engine of this build, in the order in which they are tried: a new one is added here.
// `attach`: the only way to attach that is tried, a word of Engines::attach_words(); empty: the
// best that works.
engine::Engines engine_list(const std::string& attach = {});

}  // namespace compmond::run
