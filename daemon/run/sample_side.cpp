// SPDX-License-Identifier: Apache-2.0
#include "run/sample_side.h"

#include "present/estimated.h"

namespace compmond::run {

SampleSide::SampleSide(sampling::SampleSource& source, const spec::Spec& spec,
                       const plan::Plan& plan, double hz)
    : hz_(hz), store_(present::estimate_model_of(spec, plan)), drain_(source, store_) {}

}  // namespace compmond::run
