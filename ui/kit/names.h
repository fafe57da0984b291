// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace compmond::ui {

// Fit to be shown: "worker  4712", "thread 4712".
std::string thread_name(std::string_view name, int64_t tid);

}  // namespace compmond::ui
