// SPDX-License-Identifier: Apache-2.0
#include "replay/logged_slices.h"

#include <utility>

namespace compmond::replay {

void LoggedSlices::add(std::vector<recording::SliceBlock::Step> steps) {
  for (recording::SliceBlock::Step& step : steps)
    std::visit([this](auto& one) { add(std::move(one)); }, step);
}

void LoggedSlices::add(const recording::SliceBlock::Inputs& inputs) {
  if (inputs.begins || inputs.since_ns != inputs_until_ns_) store_.inputs().begin(inputs.since_ns);
  store_.inputs().add(inputs.until_ns, inputs.seen);
  inputs_until_ns_ = inputs.until_ns;
}

void LoggedSlices::add(recording::SliceBlock::Taken taken) {
  store_.add(std::move(taken.slice));
  singles_.add(std::move(taken.singles));
}

}  // namespace compmond::replay
