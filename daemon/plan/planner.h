// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "elf/image.h"
#include "plan/way.h"
#include "spec/model.h"

namespace compmond::plan {

// A file that operations may live in, read.
struct Candidate {
  std::shared_ptr<const elf::Image> image;  // null: it could not be read
  std::string path;
  bool main = false;
  // Of the main executable: why system calls that probes make in its processes may not arrive, for
  // people; empty: nothing speaks against it.
  std::string hindrance{};
  // Code of it that gives its thread another stack (code::StackSwitches), where that was looked
  // for.
  std::string switching{};
  // Why it has other functions than what runs, for people; empty: they are the same.
  std::string packed{};
  uint32_t programs = 1;  // bit k: the k-th program of the run executes code from it
  bool is_of(size_t program) const { return (programs >> program & 1) != 0; }
};

// Why system calls that are made for compmond in processes of these images may not arrive
// (Candidate::hindrance); empty: they do.
inline std::string hindrance_in(const std::vector<Candidate>& all) {
  for (const Candidate& one : all)
    if (!one.hindrance.empty()) return one.hindrance;
  return {};
}

// A function that is to be observed.
struct Wanted {
  size_t image = 0;  // index in the candidates
  const elf::Symbol& function;
  spec::ExitMode exit = spec::ExitMode::kAuto;
  const std::vector<spec::Context>& contexts;  // arguments to be read at its entry
  bool may_move = true;                        // to a cheaper place than the first instruction
};

// The general register in which this argument is when a function is called, by the number that
// instructions have for it.
inline uint8_t register_of(const spec::Context& context) {
  constexpr std::array<uint8_t, spec::kContextArguments> kRegister{7, 6, 2, 1, 8, 9};  // rdi, rsi …
  return kRegister[size_t(context.argument - 1)];
}
// Of all of these: bits as in code::Insn::writes.
inline uint16_t registers_of(const std::vector<spec::Context>& contexts) {
  unsigned out = 0;
  for (const spec::Context& context : contexts) out |= 1u << register_of(context);
  return uint16_t(out);
}

// What one engine can do with functions of a target's files. Pure; lives in the child without
// privileges that reads them. One thread.
class Planner {
 public:
  virtual ~Planner() = default;
  // Never fails: a function that cannot be observed is a way that is refused, with the reason.
  // Behind a way that trusts images, the one for when these are not all any more.
  virtual std::vector<Way> plan(const Wanted& wanted) = 0;
};

// Why ways that trust images are not safe any more where a target loads another one, for people.
struct LaterRisk {
  std::string to_all;   // empty: they are
  std::string to_open;  // to those whose opening is known; likewise
};

// One engine's, made where the files are read; borrows the candidates.
struct PlannerOf {
  std::string engine;  // its name, as in the ways
  std::function<std::unique_ptr<Planner>(const std::vector<Candidate>&)> make;
};

// Those of all engines. One thread.
class Planners {
 public:
  // `engines` in the order of their trial. Borrows the candidates.
  Planners(const std::vector<PlannerOf>& engines, const std::vector<Candidate>& candidates);

  // How each could observe it, in that order. Where one of them is asked for by its name, that one
  // comes first, and no other one writes into code.
  std::vector<Way> ways(const Wanted& wanted, const std::string& engine) const;
  bool have(const std::string& engine) const;

 private:
  struct One {
    std::string engine;
    std::unique_ptr<Planner> planner;
  };
  std::vector<One> all_;
};

}  // namespace compmond::plan
