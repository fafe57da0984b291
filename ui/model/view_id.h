// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace compmond::ui {

// The views, however they are called on the screen (views/kinds.cpp says that).
enum class ViewId {
  kMap,
  kTiming,
  kTable,
  kTraces,
  kSequence,
  kTraceTiming,
  kCallTree,
  kDependencies,
  kMarkov,
  kHealth,
};

}  // namespace compmond::ui
