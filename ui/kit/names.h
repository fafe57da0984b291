// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace compmond::ui {

// The last part of a component's path.
std::string_view leaf(std::string_view path);
// Fit to be shown: "worker  4712", "thread 4712".
std::string thread_name(std::string_view name, int64_t tid);

}  // namespace compmond::ui
