// SPDX-License-Identifier: Apache-2.0
#include "machine/host.h"

#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <thread>

namespace compmond::present {
namespace {

std::string cpu_model() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);)
    if (line.rfind("model name", 0) == 0)
      return line.substr(std::min(line.size(), line.find(':') + 2));
  return {};
}

}  // namespace

const snapshot::Host& this_host() {
  static const snapshot::Host value = [] {
    snapshot::Host out;
    utsname names{};
    ::uname(&names);
    out.name = names.nodename;
    out.kernel = std::string(names.sysname) + " " + names.release + " " + names.machine;
    out.cpu = cpu_model();
    out.cpus = std::thread::hardware_concurrency();
    return out;
  }();
  return value;
}

snapshot::Target target_of(const target::ObservedProcess& process,
                           std::span<const target::Program> programs) {
  const auto runs = [&](const target::Program& program) {
    return programs.size() == 1 || program.exe == process.exe;
  };
  const auto of = std::ranges::find_if(programs, runs);
  const std::string build_id = of == programs.end() ? std::string() : of->build_id;
  snapshot::Target out{process.pid, process.exe, build_id, process.start_ns, process.alive};
  out.ended_ns = process.ended_ns;
  out.exit_status = process.exit_status;
  out.end_signal = process.end_signal;
  out.name = process.name;
  return out;
}

}  // namespace compmond::present
