// SPDX-License-Identifier: Apache-2.0
#include "sampler/diagnosis.h"

#include "bpf_engine/needs.h"
#include "sampler/sampler.h"
#include "unwind/child_unwinder.h"

namespace compmond::sampler {

engine::Diagnosis diagnose() {
  using engine::Verdict;
  engine::Diagnosis out;
  if (!bpf_engine::check_needs(out)) return out;
  const std::string what = "samples";
  const auto fails = [&](const Error& error) {
    out.outcome = error.code;
    out.findings.push_back({Verdict::kBad, what, error.why, error.next});
    return out;
  };
  auto unwinder = unwind::ChildUnwinder::start();
  if (!unwinder) return fails(unwinder.error());
  const auto sampler = Sampler::open({}, *unwinder);
  if (!sampler) return fails(sampler.error());
  out.outcome = Exit::kOk;
  out.findings.push_back({Verdict::kGood, what,
                          (*sampler)->samples_waits() ? "of stacks on CPU and of those that wait"
                                                      : "of stacks on CPU"});
  for (const std::string& note : (*sampler)->notes())
    out.findings.push_back({Verdict::kNote, what, note});
  return out;
}

}  // namespace compmond::sampler
