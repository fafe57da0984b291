// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "engine/diagnosis.h"

namespace compmond::uprobe {

// Tries every way to attach, and measures the best one that works. Takes about 0.5 s.
engine::Diagnosis diagnose();

}  // namespace compmond::uprobe
