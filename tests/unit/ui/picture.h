// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "stage.h"

namespace compmond::ui {

// What one part of the frame drew ("view", "details", "time", "status", "top"), as lines that
// people can compare: every text with the place, font and colour it has; larger shapes one by one;
// of small ones, per colour, how many there are and within which rectangle. Positions are whole
// pixels, rounded so that neither .0 nor .5 is near a border. Sorted from top to bottom.
std::vector<std::string> picture(const Stage& stage, const std::string& part);

// Lines that only one of them has: "- " of `before`, "+ " of `now`, in their order.
std::vector<std::string> difference(const std::vector<std::string>& before,
                                    const std::vector<std::string>& now);

}  // namespace compmond::ui
