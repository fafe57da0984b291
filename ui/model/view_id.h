// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

#include "base/words.h"

namespace compmond::ui {

// The views, in the order of their tabs; the words are those of the tabs, of settings and --view.
enum class ViewId {
  kMap,
  kTiming,
  kTable,
  kInside,
  kTraces,
  kSequence,
  kTraceTiming,
  kCallTree,
  kDependencies,
  kMarkov,
  kHealth,
};
constexpr auto words(ViewId) {
  return word_table<ViewId>({{ViewId::kMap, "Map"},
                             {ViewId::kTiming, "Timing"},
                             {ViewId::kTable, "Table"},
                             {ViewId::kInside, "Inside"},
                             {ViewId::kTraces, "Traces"},
                             {ViewId::kSequence, "Sequence"},
                             {ViewId::kTraceTiming, "Trace timing"},
                             {ViewId::kCallTree, "Call tree"},
                             {ViewId::kDependencies, "Dependencies"},
                             {ViewId::kMarkov, "Markov"},
                             {ViewId::kHealth, "Health"}});
}

// The view of this label, ignoring case.
std::optional<ViewId> view_named(std::string_view label);

}  // namespace compmond::ui
