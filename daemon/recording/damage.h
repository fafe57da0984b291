// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace compmond::recording {

// A place where a log is not what was captured.
struct Damage {
  std::string file;
  uint64_t offset = 0;  // in the file where it begins
  uint64_t bytes = 0;   // that could not be read; 0: what is missing was never written
  // Missing here, as far as the numbers of those around it tell.
  uint64_t events = 0, samples = 0;
  uint64_t from_ns = 0;  // what is missing happened between these two, CLOCK_MONOTONIC; equal
  uint64_t to_ns = 0;    // where nothing is missing
  // It is the rest of the log, and sound: what is made of it would take more than so many bytes of
  // memory. 0: it is not that.
  uint64_t no_room = 0;
  bool operator==(const Damage&) const = default;
};

// "12 bytes unreadable at 4096, 300 events between 1.20 s and 1.31 s missing"; times from start_ns.
std::string to_text(const Damage& damage, uint64_t start_ns);
// "the log is damaged: …", or why the rest of it was not read and what to do.
std::string sentence(const Damage& damage, uint64_t start_ns);

}  // namespace compmond::recording
