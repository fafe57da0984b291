// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace compmond {

enum class JsonLayout {
  kCompact,   // one line without blanks
  kIndented,  // every member and element on a line of its own
  kListLines  // an element of a list begins a line, everything else stands in one; the line is
              // ended
};

}  // namespace compmond
