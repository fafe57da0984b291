// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "suggest/program.h"

namespace compmond::suggest {

// A program that a test writes down.
class SmallProgram {
 public:
  explicit SmallProgram(const std::string& path = "/opt/app/app") { add_image(path, true); }

  uint32_t add_image(const std::string& path, bool main = false) {
    program_.images.push_back({.path = path, .build_id = "ab12", .main = main});
    return uint32_t(program_.images.size() - 1);
  }
  // One whose raw name differs is of C++.
  uint32_t add(const std::string& name, uint64_t size = 100, uint32_t image = 0) {
    const bool scoped = name.find("::") != std::string::npos;
    const auto number = uint32_t(program_.functions.size());
    program_.functions.push_back({.symbol = scoped ? "_Z" + std::to_string(number) : name,
                                  .name = name,
                                  .image = image,
                                  .vaddr = 0x1000 * (number + 1),
                                  .size = size,
                                  .exported = true});
    numbers_[name] = number;
    return number;
  }
  void call(const std::string& from, const std::string& to) {
    program_.calls.push_back({number_of(from), number_of(to)});
  }
  uint32_t number_of(const std::string& name) {
    const auto known = numbers_.find(name);
    return known != numbers_.end() ? known->second : add(name);
  }
  Program& program() { return program_; }

 private:
  Program program_;
  std::map<std::string, uint32_t> numbers_;
};

// What samples saw, stack by stack; functions that are not there yet are added. "?" has no name.
class Stacks {
 public:
  explicit Stacks(SmallProgram& of) : of_(of) { evidence_.seconds = 5; }

  void cpu(std::initializer_list<const char*> stack, unsigned samples) {
    add(stack, samples, 1, 0);
  }
  void waiting(std::initializer_list<const char*> stack, unsigned samples) {
    add(stack, samples, 0, 1);
  }
  Evidence& evidence() { return evidence_; }

 private:
  static constexpr double kSampleNs = 1e7;
  void add(std::initializer_list<const char*> stack, unsigned samples, int cpu, int waiting) {
    int32_t at = StackNode::kNobody;
    for (const std::string name : stack) {
      const auto [known, fresh] = nodes_.try_emplace({at, name}, evidence_.nodes.size());
      if (fresh)
        evidence_.nodes.push_back(
            {at, name == "?" ? StackNode::kNobody : int32_t(of_.number_of(name)), 0, 0});
      at = int32_t(known->second);
    }
    evidence_.nodes[size_t(at)].cpu_ns += samples * kSampleNs * cpu;
    evidence_.nodes[size_t(at)].waiting_ns += samples * kSampleNs * waiting;
    evidence_.samples += samples;
    evidence_.cpu_samples += samples * unsigned(cpu);
  }

  SmallProgram& of_;
  Evidence evidence_;
  std::map<std::pair<int32_t, std::string>, size_t> nodes_;
};

inline std::string functions_of(const Program& program, const std::vector<uint32_t>& numbers) {
  std::string out;
  for (const uint32_t one : numbers) out += (out.empty() ? "" : " ") + program.functions[one].name;
  return out;
}

}  // namespace compmond::suggest
