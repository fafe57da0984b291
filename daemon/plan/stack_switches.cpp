// SPDX-License-Identifier: Apache-2.0
#include "plan/stack_switches.h"

#include <algorithm>

#include "text/match.h"

namespace compmond::plan {
namespace {

// Libraries that import a stack switch but use it only for callers who ask for it. OpenSSL does so
// for the jobs of asynchronous engines, and most servers map it: taking it at its word would make
// every probe of theirs dear.
bool only_on_request(const std::string& path) {
  return text::leaf(path).starts_with("libcrypto.so");
}

}  // namespace

std::string stack_switches_of(const Candidate& image) {
  const std::string said = std::string(text::leaf(image.path)) + " switches stacks";
  if (image.image && image.image->traits().switches_stacks) return said;
  return image.switching.empty() ? std::string() : said + " (" + image.switching + ")";
}

std::string common_stack_switches_of(const Candidate& image) {
  return only_on_request(image.path) ? std::string() : stack_switches_of(image);
}

bool switches_stacks(const std::vector<Candidate>& all) {
  return std::ranges::any_of(
      all, [](const Candidate& image) { return !common_stack_switches_of(image).empty(); });
}

}  // namespace compmond::plan
