// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "estimate/sample_store.h"
#include "pipeline/sample_drain.h"
#include "plan/plan.h"
#include "present/run_parts.h"
#include "sampling/sample.h"
#include "spec/model.h"

namespace compmond::run {

// The data side of samples: where they are kept, and the thread that brings them there.
class SampleSide {
 public:
  // `source` must outlive it; `hz`: as asked for.
  SampleSide(sampling::SampleSource& source, const spec::Spec& spec, const plan::Plan& plan,
             double hz);
  void begin() { drain_.start(); }
  // After one last drain: what was sampled until then is there.
  void end() { drain_.stop(); }
  present::RunSamples samples() const { return {store_, hz_}; }

 private:
  double hz_;
  estimate::SampleStore store_;
  pipeline::SampleDrain drain_;  // into store_
};

}  // namespace compmond::run
