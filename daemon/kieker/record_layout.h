// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string_view>

namespace compmond::kieker {

// The types of a record's fields behind the logging timestamp, a letter each: l a 64-bit number, i
// one of 32 bits, d a double, b a truth value, s a text, S a list of texts (its length, then they).
// Binary logs do not say them. By simple class name; nothing for a type that is not known.
// Source: the record definitions (.irl) of Kieker 1.5 to 2.0.
std::optional<std::string_view> layout_of(std::string_view record_name);

// Where an event that takes a place in the order of a trace has its trace id and order index.
struct OrderFields {
  size_t trace = 1, order = 2;
};
// Nothing for what takes none. Types of the package that are not known are taken to have them where
// all others have.
std::optional<OrderFields> order_fields_of(std::string_view class_name);

}  // namespace compmond::kieker
