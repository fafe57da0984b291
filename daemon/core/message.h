// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdio>
#include <string>

#include "base/result.h"

namespace compmond {

// Data for stdout. Never throws: what could not be written shows in finish_stdout().
template <class... T>
void print(fmt::format_string<T...> format, T&&... values) {
  const std::string text = fmt::format(format, std::forward<T>(values)...);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// Flushes stdout. Exit::kCantCreate when something printed there was lost; a stdout that was closed
// from the beginning lost nothing that anybody wanted.
Result<void> finish_stdout();

// Puts something unusable where stdin, stdout or stderr are closed, so that no file opened later
// takes their number.
void hold_standard_streams();

// Messages for people go to stderr, each starting with "compmond: ".
void say(const std::string& text);

// In a line of the terminal that stderr is, in place of what it had before; waits as say() does.
void redraw(const std::string& text);

// Prints an error as what, why and next, each on its own line, and returns its exit code.
int report(const Error& error);

}  // namespace compmond
