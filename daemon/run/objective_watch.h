// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "present/run_parts.h"

namespace compmond::run {

// Looks again and again whether executions missed their objectives: keeps the first one in words
// (--exit-on-slo), and says when the flight recorder has something to save. One thread.
class ObjectiveWatch {
 public:
  struct Options {
    bool first = false;         // to be kept
    uint64_t save_last_ns = 0;  // what one file of the flight recorder holds; 0: there is none
  };
  explicit ObjectiveWatch(const Options& options) : options_(options) {}

  // Whether a look could find something; without, no checkpoint need be made for one.
  bool looks() const { return options_.save_last_ns > 0 || (options_.first && !missed_); }

  // Takes in what is new; whether the flight recorder is to be saved now. No execution is left out:
  // what came within a file's length of the last one is in the next one, at the latest in that of
  // the run's end or of the first miss that ends it.
  bool look(const present::RunParts& run, uint64_t now_ns);

  // The first execution that missed its objective, in words; none unless it is to be kept.
  const std::optional<std::string>& missed() const { return missed_; }

 private:
  Options options_;
  std::optional<std::string> missed_;
  uint64_t saved_ = 0;  // executions that missed theirs before the last file
  uint64_t next_save_ns_ = 0;
};

}  // namespace compmond::run
