// SPDX-License-Identifier: Apache-2.0
#include "sampler/diagnosis.h"

#include "sampler/planner.h"
#include "sampler/sampler.h"
#include "unwind/child_unwinder.h"

namespace compmond::sampler {

engine::Diagnosis diagnose() {
  using engine::Verdict;
  engine::Diagnosis out;
  out.engine = kEngine;
  const std::string what = "samples";
  auto unwinder = unwind::ChildUnwinder::start();
  if (!unwinder) {
    out.findings.push_back({Verdict::kBad, what, unwinder.error().why, unwinder.error().next});
    return out;
  }
  const auto sampler = Sampler::open({}, *unwinder);
  if (!sampler) {
    out.findings.push_back({Verdict::kBad, what, sampler.error().why, sampler.error().next});
    return out;
  }
  out.works = true;
  out.findings.push_back({Verdict::kGood, what,
                          (*sampler)->samples_waits() ? "of stacks on CPU and of those that wait"
                                                      : "of stacks on CPU"});
  for (const std::string& note : (*sampler)->notes())
    out.findings.push_back({Verdict::kNote, what, note});
  return out;
}

}  // namespace compmond::sampler
