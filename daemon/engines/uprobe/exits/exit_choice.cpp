// SPDX-License-Identifier: Apache-2.0
#include "uprobe_exits/exit_choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "plan/stack_switches.h"
#include "text/match.h"
#include "uprobe_exits/linked_images.h"

namespace compmond::uprobe {
namespace {

// What one image does to frames of its own functions.
std::string own_risk(const plan::Candidate& image) {
  const elf::RiskTraits& traits = image.image->traits();
  const std::string name(text::leaf(image.path));
  if (traits.go) return name + " is Go and moves its stacks";
  if (auto switches = plan::stack_switches_of(image); !switches.empty()) return switches;
  if (traits.rust) return name + " is Rust and can panic";
  if (traits.unwinds) return name + " can throw C++ exceptions";
  if (traits.forced_unwind)
    return name + " can end threads by unwinding (pthread_exit, pthread_cancel)";
  return {};
}

// What one image does to frames of every image: fibers and signal handlers on a stack of their own
// run any function, and code with destructors that ends threads by unwinding does so through
// whatever stands on their stacks. In plain C there is nothing to be skipped.
std::string common_risk(const plan::Candidate& image) {
  const elf::RiskTraits& traits = image.image->traits();
  const std::string name(text::leaf(image.path));
  if (traits.go) return name + " is Go and moves its stacks";
  if (auto switches = plan::common_stack_switches_of(image); !switches.empty()) return switches;
  if (traits.forced_unwind && traits.unwinds)
    return name + " can end threads by unwinding (pthread_exit, pthread_cancel)";
  if (traits.signal_stack) return name + " runs signal handlers on a stack of their own";
  return {};
}

}  // namespace

std::string return_probe_risk(const plan::Candidate& image,
                              const std::vector<plan::Candidate>& all) {
  if (auto risk = own_risk(image); !risk.empty()) return risk;
  // Since Linux 6.11 a return probe makes a system call, which a tracer may deny or kill for.
  if (auto hindrance = plan::hindrance_in(all); !hindrance.empty()) return hindrance;
  for (const plan::Candidate& other : all)
    if (other.image && (other.programs & image.programs) != 0)
      if (auto risk = common_risk(other); !risk.empty()) return risk;
  return {};
}

plan::LaterRisk later_risk(const plan::Candidate& later) {
  plan::LaterRisk out;
  out.to_all = common_risk(later);
  if (may_throw(later)) out.to_open = throws_through(std::string(text::leaf(later.path)));
  return out;
}

ExitChoice choose_exit(spec::ExitMode wanted, const FunctionSites& sites, const std::string& risk) {
  constexpr const char* kRemedy = R"(Set "exit": "entry-only" to count it)";
  switch (wanted) {
    case spec::ExitMode::kEntryOnly:
      return {false, spec::ExitMode::kEntryOnly, {}};
    case spec::ExitMode::kReturnProbe:
      return {false, spec::ExitMode::kReturnProbe,
              risk.empty() ? "" : fmt::format("return-probe as asked for, although {}", risk)};
    case spec::ExitMode::kAuto:
      if (risk.empty()) return {false, spec::ExitMode::kReturnProbe, {}};
      if (sites.exits_complete) return {false, spec::ExitMode::kRetSites, "ret-sites: " + risk};
      return {true, spec::ExitMode::kRetSites,
              fmt::format("return-probe is not safe ({}), and its exits are not all known: {}. {}",
                          risk, sites.incomplete_reason, kRemedy)};
    case spec::ExitMode::kRetSites:
      break;
  }
  if (sites.exits_complete && sites.exits.empty())
    return {false, spec::ExitMode::kRetSites, "it never returns: no time will be seen"};
  if (sites.exits_complete) return {false, spec::ExitMode::kRetSites, {}};
  return {true, spec::ExitMode::kRetSites,
          fmt::format("its exits are not all known: {}. {}", sites.incomplete_reason, kRemedy)};
}

}  // namespace compmond::uprobe
