// SPDX-License-Identifier: Apache-2.0
#include "ui/views/shared/busy_line.h"

#include "snapshot/doubt.h"

namespace compmond::ui {

std::string_view busy_note(const snapshot::Health& health) {
  const bool busy = !health.notes.empty() && health.notes.front().starts_with(snapshot::kBusyNote);
  return busy ? std::string_view(health.notes.front()) : std::string_view();
}

std::vector<Shorter> shorter_busy(const std::string& note) {
  const size_t end = note.rfind(". ");
  if (end == std::string::npos) return {};
  const std::string what = note.substr(0, end), remedy = note.substr(end);
  const std::string brief = remedy.substr(0, remedy.find_first_of("(,", 2));
  const std::string remedied = brief.substr(0, brief.find_last_not_of(' ') + 1);
  const std::string less = what.ends_with(")") ? what.substr(0, what.rfind(" (")) : what;
  return {{kShortLink - 1, what + remedied},
          {kShortLink + 1, less + remedied},
          {kShortLink + 2, what},
          {kShortLink + 3, less}};
}

}  // namespace compmond::ui
