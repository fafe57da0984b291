// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <type_traits>

// The JSON's shape, once for writing and reading (see writer.h): which key holds which member. It
// stands in the …_shape.h beside the header with the members:
//   template <class A>
//   void shape(A& archive, As<Host> auto& value) { archive("name", value.name); … }
namespace compmond::archive {

// T or const T, as the archive needs it.
template <class S, class T>
concept As = std::same_as<std::remove_const_t<S>, T>;

}  // namespace compmond::archive
