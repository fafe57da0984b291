// SPDX-License-Identifier: Apache-2.0
#include "commands/doctor.h"

#include <linux/capability.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/fd.h"
#include "core/message.h"
#include "engine/diagnosis.h"
#include "engines/engine_list.h"
#include "guard/confined.h"
#include "guard/landlock.h"
#include "guard/rights.h"
#include "spec/model.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::commands {
namespace {

using engine::Verdict;

void line(const engine::Finding& one) {
  const char* mark = one.verdict == Verdict::kGood   ? "ok  "
                     : one.verdict == Verdict::kNote ? "note"
                                                     : "MISS";
  print("{}  {:<22} {}\n", mark, one.what, one.finding);
  if (!one.remedy.empty()) print("      {:<22} → {}\n", "", one.remedy);
}

// Whose processes can be looked at; probes and samples have needs of their own.
void check_reach() {
  if (!guard::holds(CAP_SYS_PTRACE))
    line({Verdict::kNote, "other users' processes",
          "without CAP_SYS_PTRACE only your own can be looked at; of files that only a container "
          "has functions are not named",
          "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep compmond"});
  if (!guard::holds(CAP_CHECKPOINT_RESTORE) && !guard::holds(CAP_SYS_ADMIN))
    line({Verdict::kNote, "deleted files",
          "without CAP_CHECKPOINT_RESTORE the program of a process whose file was replaced is not "
          "read: its functions are not named",
          "sudo setcap cap_bpf,cap_perfmon,cap_checkpoint_restore+ep compmond"});
}

// Whether files can be read and rights given up as SECURITY.md says.
bool check_confinement() {
  const auto tried = guard::run_confined(
      {}, [](guard::Outside&) { return std::string("read"); },
      [](uint32_t, const std::string&) { return Fd(); });
  const bool good = tried && tried->whole;
  line({good ? Verdict::kGood : Verdict::kBad, "reading programs",
        good    ? "in a process without privileges"
        : tried ? "the process without privileges " + tried->why
                : tried.error().why,
        good ? "" : "needs a kernel with CONFIG_SECCOMP_FILTER; in a container, allow seccomp"});
  const int landlock = guard::landlock_version();
  line({landlock > 0 ? Verdict::kGood : Verdict::kNote, "changing files",
        landlock > 0
            ? fmt::format("renounced while observing (Landlock {})", landlock)
            : "is prevented by users and capabilities only while observing: there is no Landlock",
        landlock > 0 ? "" : "use a kernel from 5.13 with landlock in its list of modules (lsm=)"});
  if (::geteuid() == 0 && !guard::can_be_nobody())
    line({Verdict::kNote, "user",
          "stays root while observing: there is no user nobody here, or no right to become it",
          "in a container, map user 65534 and allow CAP_SETUID and CAP_SETGID"});
  if (guard::processes_are_hidden())
    line({Verdict::kNote, "/proc",
          "is mounted with hidepid: CAP_SYS_PTRACE is kept while observing, and Landlock is not "
          "used",
          "mount -o remount,hidepid=0 /proc"});
  return good;
}

void show_kernel() {
  utsname names{};
  ::uname(&names);
  line({Verdict::kGood, "kernel", std::string(names.release) + " " + names.machine});
}

// What several engines found is said once.
void show_findings(const std::vector<engine::Diagnosis>& engines) {
  std::vector<engine::Finding> said;
  for (const engine::Diagnosis& one : engines)
    for (const engine::Finding& finding : one.findings) {
      if (std::ranges::count(said, finding) > 0) continue;
      line(finding);
      said.push_back(finding);
    }
}

std::string cost_of(const plan::Cost& cost) {
  return cost.total_ns() > 0 ? text::duration(cost.total_ns()) : "-";
}

void print_costs(const engine::Diagnosis& engine) {
  print("\nCost of one call observed by {}, entry and exit, by what the function begins with:\n",
        engine.engine);
  constexpr std::array kModes = {spec::ExitMode::kReturnProbe, spec::ExitMode::kRetSites,
                                 spec::ExitMode::kEntryOnly};
  std::vector<text::Column> columns = {{"site", false, 10}};
  for (const spec::ExitMode exit : kModes) columns.push_back({to_text(exit), true, 13});
  text::Table table(std::move(columns));
  for (const std::string& site : engine.sites) {
    std::vector<std::string> cells = {site};
    for (const spec::ExitMode exit : kModes)
      cells.push_back(cost_of(engine.costs.at(engine.engine, site, exit)));
    table.add(std::move(cells));
  }
  for (const std::string& row : table.lines()) print("  {}\n", row);
}

// What can be observed, and by which command.
int show_verdict(const std::vector<engine::Diagnosis>& engines) {
  bool calls = false;
  std::string samples;  // the engine that takes them
  Exit outcome = Exit::kUnavailable;
  for (const engine::Diagnosis& one : engines) {
    if (one.works() && one.calls && one.alone) calls = true;
    if (one.works() && !one.calls && samples.empty()) samples = one.engine;
    if (one.outcome == Exit::kNoPermission) outcome = one.outcome;
  }
  if (calls)
    print("\nReady: compmond --spec FILE --pid PID works here: each call is seen{}.\n",
          samples.empty() ? "; no samples are taken" : ", and samples are taken");
  else if (!samples.empty())
    print(
        "\nReady for samples only: compmond --engine {} --spec FILE --pid PID tells where the time "
        "goes; calls cannot be seen here.\n",
        samples);
  else if (outcome == Exit::kNoPermission)
    print("\nWithout these rights nothing else can be tried.\n");
  else
    print("\nNothing works here by which calls could be observed.\n");
  return int(calls || !samples.empty() ? Exit::kOk : outcome);
}

}  // namespace

int doctor_command() {
  show_kernel();
  check_reach();
  if (!check_confinement()) {
    print("\nWithout that no file is read, so nothing can be observed.\n");
    return int(Exit::kUnavailable);
  }
  prepare::EngineOptions all;
  all.allow_patching = true;  // nothing is patched
  const std::vector<engine::Diagnosis> engines = engines::all_engines(all).diagnose();
  show_findings(engines);
  for (const engine::Diagnosis& one : engines)
    if (one.works() && !one.sites.empty()) print_costs(one);
  return show_verdict(engines);
}

}  // namespace compmond::commands
