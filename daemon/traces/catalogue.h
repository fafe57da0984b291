// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_map.h"

// What executions of traces refer to by number.
namespace compmond::traces {

struct TracedOperation {
  std::string component;
  std::string name;       // unique within the component
  std::string signature;  // as in the log; empty where it has none
};

struct TracedThread {
  uint32_t host = 0, pid = 0, tid = 0;
  std::string name, process;  // of the process: its program, as far as that is known
  uint64_t monotonic_ns = 0;  // when CLOCK_MONOTONIC began on its host, ns since the epoch
};

// What a program is called whose file is `exe`: by the name of that, or where others of `all` have
// it too, by its path.
std::string program_name(const std::string& exe, const std::vector<std::string>& all);

// Numbers operations, hosts, programs, sessions and threads in the order of their first appearance.
class Catalogue {
 public:
  // `short_name` names the operation unless another one of the component, with another signature,
  // has it already; that one is then named `long_name`, numbered if need be.
  uint32_t operation(std::string_view component, std::string_view signature,
                     std::string_view short_name, std::string_view long_name);
  // One that has no signature, only its name.
  uint32_t operation(std::string_view component, std::string_view name);
  uint32_t host(std::string_view name) { return hosts_.number(name); }
  uint32_t program(std::string_view name) { return name.empty() ? 0 : programs_.number(name); }
  uint32_t session(std::string_view name) { return sessions_.number(name); }
  // Numbers them anew: only where no execution with a number of before is kept.
  void forget_sessions() { sessions_ = {}; }

  uint32_t thread(TracedThread thread);

  const std::vector<TracedOperation>& operations() const { return operations_; }
  const std::vector<std::string>& hosts() const { return hosts_.names; }
  // The first stands for those that are unknown.
  const std::vector<std::string>& programs() const { return programs_.names; }
  const std::vector<std::string>& sessions() const { return sessions_.names; }
  const std::vector<TracedThread>& threads() const { return threads_; }

 private:
  struct Numbers {
    StringMap<uint32_t> index;
    std::vector<std::string> names;
    uint32_t number(std::string_view name);
  };

  uint32_t add(std::string_view component, std::string_view signature, std::string_view short_name,
               std::string_view long_name);

  std::vector<TracedOperation> operations_;
  StringMap<uint32_t> by_signature_;  // component \n signature, or \n\n name
  StringMap<uint32_t> by_name_;       // component \n name
  Numbers hosts_, programs_{{}, {""}}, sessions_;
  std::vector<TracedThread> threads_{{}};  // the first stands for those that are unknown
};

}  // namespace compmond::traces
