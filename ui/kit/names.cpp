// SPDX-License-Identifier: Apache-2.0
#include "ui/kit/names.h"

#include <fmt/format.h>

#include "text/clean.h"

namespace compmond::ui {

std::string thread_name(std::string_view name, int64_t tid) {
  return name.empty() ? fmt::format("thread {}", tid)
                      : fmt::format("{}  {}", text::clean(name), tid);
}

}  // namespace compmond::ui
