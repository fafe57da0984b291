// SPDX-License-Identifier: Apache-2.0
#include "cli/doctor_command.h"

#include <sys/capability.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "base/fd.h"
#include "base/message.h"
#include "guard/confined.h"
#include "guard/rights.h"
#include "text/numbers.h"
#include "text/table.h"
#include "uprobe/calibration.h"
#include "uprobe/way.h"

namespace compmond::cli {
namespace {

enum class Verdict { kGood, kNote, kBad };

void line(Verdict verdict, const std::string& what, const std::string& finding,
          const std::string& remedy = {}) {
  const char* mark = verdict == Verdict::kGood   ? "ok  "
                     : verdict == Verdict::kNote ? "note"
                                                 : "MISS";
  print("{}  {:<22} {}\n", mark, what, finding);
  if (!remedy.empty()) print("      {:<22} → {}\n", "", remedy);
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
  line(good ? Verdict::kGood : Verdict::kBad, "rights", who,
       good ? "" : "run with sudo, or: sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep compmond");
  if (good && !ptrace)
    line(Verdict::kNote, "other users' processes",
         "without CAP_SYS_PTRACE only your own can be looked at",
         "sudo setcap cap_bpf,cap_perfmon,cap_sys_ptrace+ep compmond");
  return good;
}

// Whether files can be read and rights given up as SECURITY.md says.
bool check_confinement() {
  const auto tried = guard::run_confined(
      {}, [](guard::Outside&) { return std::string("read"); },
      [](uint32_t, const std::string&) { return Fd(); });
  const bool good = tried && tried->whole;
  line(good ? Verdict::kGood : Verdict::kBad, "reading programs",
       good    ? "in a process without privileges"
       : tried ? "the process without privileges " + tried->why
               : tried.error().why,
       good ? "" : "needs a kernel with CONFIG_SECCOMP_FILTER; in a container, allow seccomp");
  if (guard::processes_are_hidden())
    line(Verdict::kNote, "/proc", "is mounted with hidepid: CAP_SYS_PTRACE is kept while observing",
         "mount -o remount,hidepid=0 /proc");
  return good;
}

void check_kernel() {
  utsname names{};
  ::uname(&names);
  line(Verdict::kGood, "kernel", std::string(names.release) + " " + names.machine);
  const bool btf = ::access("/sys/kernel/btf/vmlinux", R_OK) == 0;
  line(btf ? Verdict::kGood : Verdict::kBad, "kernel types (BTF)",
       btf ? "/sys/kernel/btf/vmlinux" : "not there",
       btf ? "" : "use a kernel built with CONFIG_DEBUG_INFO_BTF=y (all current distributions)");
  const std::string lockdown = first_line("/sys/kernel/security/lockdown");
  if (lockdown.find("[confidentiality]") != std::string::npos)
    line(Verdict::kBad, "lockdown", "confidentiality: BPF may not read user memory",
         "boot with lockdown=integrity or none");
}

// Tries every way; the best one that works.
std::optional<uprobe::Calibration> check_attach_kinds() {
  std::optional<uprobe::Calibration> best;
  using uprobe::AttachKind;
  for (const auto& [kind, needs] :
       {std::pair{AttachKind::kSession, "kernel 6.13"}, std::pair{AttachKind::kMulti, "kernel 6.6"},
        std::pair{AttachKind::kPerSymbol, "CAP_SYS_ADMIN and /sys mounted"}}) {
    const auto tried = uprobe::calibrate(kind);
    const std::string name = fmt::format("attach: {}", to_text(kind));
    if (tried)
      line(Verdict::kGood, name, best ? "works (not needed)" : "works: this one is used");
    else
      line(best ? Verdict::kNote : Verdict::kBad, name, tried.error().why,
           fmt::format("needs {}", needs));
    if (tried && !best) best = *tried;
  }
  return best;
}

void print_costs(const plan::Costs& costs) {
  print("\nCost of one observed call, entry and exit, by what the function begins with:\n");
  text::Table table({{"site", false, 10},
                     {"return-probe", true, 13},
                     {"ret-sites", true, 13},
                     {"entry-only", true, 13}});
  for (const code::SiteKind site :
       {code::SiteKind::kNop5, code::SiteKind::kNop, code::SiteKind::kPush, code::SiteKind::kJump,
        code::SiteKind::kStepped}) {
    std::vector<std::string> cells = {to_text(site)};
    for (const spec::ExitMode exit :
         {spec::ExitMode::kReturnProbe, spec::ExitMode::kRetSites, spec::ExitMode::kEntryOnly})
      cells.push_back(text::duration(costs.at(uprobe::kEngine, cells[0], exit).total_ns()));
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
  const auto best = check_attach_kinds();
  if (!best) {
    print("\nThis kernel cannot attach probes at all.\n");
    return int(Exit::kUnavailable);
  }
  print_costs(best->costs);
  print("\nReady: compmond --spec FILE --pid PID works here.\n");
  return int(Exit::kOk);
}

}  // namespace compmond::cli
