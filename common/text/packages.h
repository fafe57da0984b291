// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

// Names of classes that begin with those of their packages: "kieker.examples.Bookstore".
namespace compmond::text {

// Where such a name may begin without some of its packages, the fewest left out first: at
// "examples", at "Bookstore". What stands before its last blank, as an arrow, is not part of it.
// Empty for other names: a class begins with a capital letter, all before it with small ones.
std::vector<size_t> without_packages(std::string_view name);

}  // namespace compmond::text
