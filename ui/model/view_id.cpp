// SPDX-License-Identifier: Apache-2.0
#include "ui/model/view_id.h"

#include "text/match.h"

namespace compmond::ui {

std::optional<ViewId> view_named(std::string_view label) {
  for (const auto& [id, word] : words(ViewId{}))
    if (text::same(word, label)) return id;
  return std::nullopt;
}

}  // namespace compmond::ui
