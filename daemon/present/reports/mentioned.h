// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "protocol/analysis_view.h"
#include "traces/traced.h"

namespace compmond::present {

using MentionedOperations = std::vector<snapshot::AnalysisView::Operation>;

// Numbers the operations that an answer mentions.
class Mentioned {
 public:
  Mentioned(const traces::Catalogue& catalogue, MentionedOperations& out)
      : catalogue_(catalogue), out_(out), numbers_(catalogue.operations().size(), kNone) {}

  uint32_t number(uint32_t operation) {
    uint32_t& number = numbers_[operation];
    if (number == kNone) {
      number = uint32_t(out_.size());
      const traces::TracedOperation& of = catalogue_.operations()[operation];
      out_.push_back({of.component, of.name});
    }
    return number;
  }
  const MentionedOperations& operations() const { return out_; }

 private:
  static constexpr uint32_t kNone = UINT32_MAX;
  const traces::Catalogue& catalogue_;
  MentionedOperations& out_;
  std::vector<uint32_t> numbers_;
};

// Net real time where probes took anything.
inline std::optional<uint64_t> less_probes(uint64_t real_ns, double probes_ns) {
  const uint64_t net_ns = traces::net_real_ns(real_ns, probes_ns);
  return net_ns < real_ns ? std::optional(net_ns) : std::nullopt;
}

}  // namespace compmond::present
