// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

// What values of the command line are checked for; the messages are for people.
namespace compmond::cli {

CLI::Validator above_zero(const char* what = "a number above 0");
CLI::Validator within(double low, double high);
CLI::Validator not_empty(const char* what);
inline CLI::Validator a_file() { return not_empty("the name of a file"); }
// Seconds, or as in 90s, 5m, 2h; leaves seconds in the text. For transform().
CLI::Validator a_duration();
CLI::Validator a_moment();        // text/moment.h
CLI::Validator power_of_two();    // from 1 to 1024
CLI::Validator percent_or_off();  // above 0, at most 1000
CLI::Validator rate_or_off();     // of samples per second
CLI::Validator number_or_max();   // a speed
// The value of what one of these three has let pass: "off" and "max" are 0.
double number_or_word(const std::string& text);

}  // namespace compmond::cli
