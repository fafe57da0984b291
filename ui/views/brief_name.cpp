// SPDX-License-Identifier: Apache-2.0
#include "ui/views/brief_name.h"

namespace compmond::ui {

std::string brief_operation(const std::string& name) {
  // Parameters and template arguments hold colons of their own.
  size_t end = 0, begin = 0;
  int nested = 0;
  for (; end < name.size() && (nested > 0 || name[end] != '('); ++end) {
    nested += name[end] == '<';
    nested -= name[end] == '>' && nested > 0;
    if (nested == 0 && name[end] == ':') begin = end + 1;
  }
  return begin < end ? name.substr(begin, end - begin) : name;
}

}  // namespace compmond::ui
