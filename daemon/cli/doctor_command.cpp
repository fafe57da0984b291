// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_command.h"

#include <sys/capability.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <vector>

#include "base/fd.h"
#include "core/message.h"
#include "engine/diagnosis.h"
#include "guard/confined.h"
#include "guard/rights.h"
#include "run/engine_list.h"
#include "spec/model.h"
#include "text/numbers.h"
#include "text/table.h"

namespace compmond::cli {
namespace {

using engine::Verdict;

void line(const engine::Finding& one) {
  const char* mark = one.verdict == Verdict::kGood   ? "ok  "
                     : one.verdict == Verdict::kNote ? "note"
                                                     : "MISS";
  print("{}  {:<22} {}\n", mark, one.what, one.finding);
  if (!one.remedy.empty()) print("      {:<22} → {}\n", "", one.remedy);
}

bool has_capability(cap_value_t capability) {
  cap_t set = ::cap_get_proc();
  cap_flag_value_t value = CAP_CLEAR;
  ::cap_get_flag(set, capability, CAP_EFFECTIVE, &value);
  ::cap_free(set);
  return value == CAP_SET;
}

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string text;
  std::getline(file, text);
  return text;
}

bool check_rights() {
  const bool bpf = has_capability(CAP_BPF), perfmon = has_capability(CAP_PERFMON);
  const bool ptrace = has_capability(CAP_SYS_PTRACE);
  const std::string who = fmt::format("uid {}, CAP_BPF {}, CAP_PERFMON {}", ::geteuid(),
                                      bpf ? "yes" : "no", perfmon ? "yes" : "no");
  const bool good = bpf && perfmon;
  line({good ? Verdict::kGood : Verdict::kBad, "rights", who,
        good ? ""
             : "run with sudo, or: sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep compmond"});
  if (good && !ptrace)
    line({Verdict::kNote, "other users' processes",
          "without CAP_SYS_PTRACE only your own can be looked at",
          "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep compmond"});
  return good;
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
  if (guard::processes_are_hidden())
    line({Verdict::kNote, "/proc",
          "is mounted with hidepid: CAP_SYS_PTRACE is kept while observing",
          "mount -o remount,hidepid=0 /proc"});
  return good;
}

void check_kernel() {
  utsname names{};
  ::uname(&names);
  line({Verdict::kGood, "kernel", std::string(names.release) + " " + names.machine});
  const bool btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  line({btf ? Verdict::kGood : Verdict::kBad, "kernel types (BTF)",
        btf ? "/sys/kernel/btf/vmlinux" : "not there",
        btf ? "" : "use a kernel built with CONFIG_DEBUG_INFO_BTF=y (all current distributions)"});
  const std::string lockdown = first_line("/sys/kernel/security/lockdown");
  if (lockdown.find("[confidentiality]") != std::string::npos)
    line({Verdict::kBad, "lockdown", "confidentiality: BPF may not read user memory",
          "boot with lockdown=integrity or none"});
}

// Whether one of the engines works.
bool check_engines(const std::vector<engine::Diagnosis>& engines) {
  for (const engine::Diagnosis& one : engines)
    for (const engine::Finding& finding : one.findings) line(finding);
  return std::ranges::any_of(engines, &engine::Diagnosis::works);
}

void print_costs(const engine::Diagnosis& engine) {
  print("\nCost of one observed call, entry and exit, by what the function begins with:\n");
  text::Table table({{"site", false, 10},
                     {"return-probe", true, 13},
                     {"ret-sites", true, 13},
                     {"entry-only", true, 13}});
  for (const std::string& site : engine.sites) {
    std::vector<std::string> cells = {site};
    for (const spec::ExitMode exit :
         {spec::ExitMode::kReturnProbe, spec::ExitMode::kRetSites, spec::ExitMode::kEntryOnly})
      cells.push_back(text::duration(engine.costs.at(engine.engine, site, exit).total_ns()));
    table.add(std::move(cells));
  }
  for (const std::string& row : table.lines()) print("  {}\n", row);
}

}  // namespace

int doctor_command() {
  check_kernel();
  const bool rights = check_rights();
  if (!rights) {
    print("\nWithout these rights nothing else can be tried.\n");
    return int(Exit::kNoPermission);
  }
  if (!check_confinement()) {
    print("\nWithout that no file is read, so nothing can be observed.\n");
    return int(Exit::kUnavailable);
  }
  const std::vector<engine::Diagnosis> engines = run::all_engines().diagnose();
  if (!check_engines(engines)) {
    print("\nNothing works here by which calls could be observed.\n");
    return int(Exit::kUnavailable);
  }
  for (const engine::Diagnosis& one : engines)
    if (one.works && !one.sites.empty()) print_costs(one);
  print("\nReady: compmond --spec FILE --pid PID works here.\n");
  return int(Exit::kOk);
}

}  // namespace compmond::cli
