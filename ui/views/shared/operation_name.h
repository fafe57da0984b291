// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "snapshot/component.h"

namespace compmond::ui {

// The last part of a function's name, without parameters, cleaned: "accept" for
// "fh::FileEncrypter::accept(int)".
std::string short_operation(std::string_view name);

// "FileEncrypter  accept": the component's leaf and that.
std::string full_name(std::string_view component, std::string_view operation);

// How its ends are seen, and why so: "ret-sites by uprobe: C++ can throw".
std::string exit_words(const snapshot::Operation& operation);

}  // namespace compmond::ui
