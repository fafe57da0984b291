// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fd.h"
#include "base/result.h"
#include "guard/zygote.h"
#include "plan/planner.h"

// What targets load after they were planned.
namespace compmond::later {

// Reads files for their risks, one after the other, in a confined child: as those that were there
// when the plan was made. Nobody waits for it. One thread.
class ImageReader {
 public:
  using RiskOf = std::function<plan::LaterRisk(const plan::Candidate& image)>;
  // Before rights are given up, and before any thread. `risk_of` runs in the child.
  // Exit::kUnavailable.
  static Result<ImageReader> start(RiskOf risk_of);

  void add(std::string path, std::shared_ptr<const Fd> file);

  struct Read {
    std::string path;
    plan::LaterRisk risk;
    std::string missing;  // why not all of it is known, for people; empty: it is
  };
  // Those that were read since the last call. Takes long only where a child has to be replaced,
  // since it died or took too long for a file: some seconds at worst, kChildren times.
  std::vector<Read> take(uint64_t now_ns);

  static constexpr int kChildren = 8;

 private:
  explicit ImageReader(guard::Zygote zygote) : zygote_(std::move(zygote)) {}
  struct Wanted {
    std::string path;
    std::shared_ptr<const Fd> file;
  };
  bool ask(uint64_t now_ns);
  std::optional<Read> answer();
  bool fill(size_t size);
  Read give_up_on(const std::string& why);

  guard::Zygote zygote_;
  Fd channel_;                 // of the child that there is; empty: there is none
  int children_ = 0;           // so far
  std::deque<Wanted> wanted_;  // the first is being read, where asked_ns_ says so
  uint64_t asked_ns_ = 0;      // 0: nothing is asked
  std::string inbox_;          // what came of the answer
  bool ended_ = false;         // its channel
};

}  // namespace compmond::later
