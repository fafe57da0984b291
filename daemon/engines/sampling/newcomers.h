// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unordered_map>

#include "record/event.h"
#include "sampler/sampler.h"

namespace compmond::sampler {

// Tells of processes that came and of the ends of these, as an event source does, and of no calls.
// Drain thread only.
class Newcomers : public record::EventSource {
 public:
  explicit Newcomers(Sampler& sampler) : sampler_(sampler) {}
  size_t drain(record::EventSink& sink) override;
  record::Ledger ledger() const override { return {}; }
  uint64_t now_ns() const override { return now_ns_; }

 private:
  Sampler& sampler_;
  record::ThreadId next_ = 0;
  std::unordered_map<pid_t, record::ThreadId> here_;  // of whom was told
  uint64_t now_ns_ = 0;
};

}  // namespace compmond::sampler
