// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tuple>

namespace compmond::archive {

// A value that is a list of three numbers: its numbers(value) ties them.
template <class T>
concept Triple = requires(T& value) {
  requires std::tuple_size_v<decltype(numbers(value))>
  == 3;
};

}  // namespace compmond::archive
