// SPDX-License-Identifier: Apache-2.0
#include "intact/leftovers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/clock.h"
#include "text/numbers.h"

namespace compmond::intact {
namespace {

constexpr size_t kNamed = 5;  // functions of a process

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (size_t i = 0; i < std::min(names.size(), kNamed); ++i)
    out += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kNamed) out += fmt::format(" and {} more", names.size() - kNamed);
  return out;
}

void add(Check::Left from, Check::Left& to) {
  std::ranges::move(from.breakpoints, std::back_inserter(to.breakpoints));
  std::ranges::move(from.other_code, std::back_inserter(to.other_code));
  to.debugger = std::max(to.debugger, from.debugger);
}

std::string whose_breakpoint(pid_t debugger) {
  if (debugger != 0)
    return fmt::format(
        "it is that of its debugger (process {}), or one that the debugger took for "
        "the program's own and will leave there",
        debugger);
  return "unless another tool has one there, a debugger put back what it took for the program's "
         "own";
}

// Processes in which the same is found, as with a second observer of a server, are one sentence.
struct Findings {
  std::map<std::pair<std::string, pid_t>, std::vector<pid_t>> breakpoints;  // where, whose
  std::map<std::string, std::vector<pid_t>> other_code;                     // where

  void add(pid_t pid, const Check::Left& left) {
    if (!left.breakpoints.empty())
      breakpoints[{listed(left.breakpoints), left.debugger}].push_back(pid);
    if (!left.other_code.empty()) other_code[listed(left.other_code)].push_back(pid);
  }
};

std::string who_has(const std::vector<pid_t>& pids) {
  if (pids.size() == 1) return fmt::format("process {} has", pids.front());
  return fmt::format("process {} and {} have", pids.front(),
                     text::counted(pids.size() - 1, "other", "others"));
}

void tell(const Findings& found, std::vector<std::string>& out) {
  for (const auto& [what, pids] : found.breakpoints)
    out.push_back(fmt::format(
        "{} a breakpoint at {} that the file does not have, though the probes are gone: {}. Where "
        "it stays without a debugger the program ends: then observe it once more for a second, "
        "which lets the kernel put its own code back",
        who_has(pids), what.first, whose_breakpoint(what.second)));
  for (const auto& [where, pids] : found.other_code)
    out.push_back(fmt::format(
        "{} other code at {} than the file has, and had not before: a debugger wrote there while "
        "probes were, or the program itself. Start it again unless it was the program",
        who_has(pids), where));
}

}  // namespace

std::vector<std::string> leftovers(Check& check, const plan::OperationStates& states, size_t images,
                                   const std::vector<pid_t>& processes, uint64_t within_ns) {
  if (!check.may_look()) return {};
  const uint64_t end_ns = monotonic_ns() + within_ns;
  std::vector<std::string> out;
  Findings found;
  size_t not_looked = 0;
  for (const pid_t pid : processes) {
    Check::Left all;
    for (size_t image = 0; image < images && all.looked; ++image) {
      const uint64_t now = monotonic_ns();
      Check::Left left;
      left.looked = now < end_ns;
      if (left.looked) left = check.left(states, pid, int(image), end_ns - now);
      all.looked = left.looked;
      add(std::move(left), all);
    }
    not_looked += all.looked ? 0 : 1;
    found.add(pid, all);
  }
  tell(found, out);
  if (not_looked > 0)
    out.push_back(
        fmt::format("whether a debugger left breakpoints in {} of {} processes is not "
                    "known: they could not be looked into within {} s",
                    not_looked, processes.size(), within_ns / 1'000'000'000));
  return out;
}

}  // namespace compmond::intact
