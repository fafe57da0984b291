// SPDX-License-Identifier: Apache-2.0
#include "plan/transfers.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "built_image.h"

using namespace compmond;
using plan::Candidate;
using plan::Plan;

namespace {

// A C program that jumps, a C++ one that throws, and libraries of both kinds.
const Candidate& c_program() {
  static const Candidate image = built_image("/bin/plain", ".s", R"(
    .text
    .globl work; .type work, @function
    work: jmp longjmp@plt
    .size work, . - work
)",
                                             true);
  return image;
}
const Candidate& cpp_program() {
  static const Candidate image =
      built_image("/bin/throws", ".cpp", "void work() { throw 1; } void other() { work(); }", true);
  return image;
}
const Candidate& runtime() {
  static const Candidate image = built_image("/lib/runtime.so", ".s", R"(
    .text
    .globl longjmp, _longjmp, siglongjmp, setcontext, _Unwind_Resume, __cxa_begin_catch
    .type longjmp, @function; .type _longjmp, @function; .type siglongjmp, @function
    .type setcontext, @function; .type _Unwind_Resume, @function
    .type __cxa_begin_catch, @function
    longjmp: _longjmp: siglongjmp: push %rbx; pop %rbx; ret
    .size longjmp, 3; .size _longjmp, 3; .size siglongjmp, 3
    setcontext: nop; ret
    .size setcontext, 2
    _Unwind_Resume: nop; ret
    .size _Unwind_Resume, 2
    __cxa_begin_catch: nop; ret
    .size __cxa_begin_catch, 2
)");
  return image;
}

// Of one operation in the first image.
Plan plan_of(const std::string& symbol, const std::vector<Candidate>& candidates,
             spec::ExitMode exit = spec::ExitMode::kRetSites) {
  Plan out;
  out.images.push_back({0, candidates[0].path, true, {}, 0, 0});
  plan::PlannedOperation& op = out.operations.emplace_back();
  op.image = 0;
  const auto& symbols = candidates[0].image->symbols();
  const auto found = std::ranges::find(symbols, symbol, &elf::Symbol::name);
  REQUIRE(found != symbols.end());
  op.vaddr = found->vaddr;
  op.ways.emplace_back().exit = exit;
  return out;
}

std::vector<std::string> names(const std::vector<plan::TransferPlace>& places) {
  std::vector<std::string> out;
  for (const plan::TransferPlace& place : places)
    out.push_back(std::string(to_text(place.kind)) + " " + std::to_string(place.image));
  std::ranges::sort(out);
  return out;
}

}  // namespace

TEST_CASE(
    "transfers: what unwinds is watched where an operation can be left that way, what jumps where "
    "somebody asks for it") {
  using Names = std::vector<std::string>;
  const std::vector<Candidate> jumps = {c_program(), runtime()};
  CHECK(names(find_transfers(plan_of("work", jumps), jumps)) == Names{"jump 1"});
  const std::vector<Candidate> throws = {cpp_program(), runtime()};
  CHECK(names(find_transfers(plan_of("_Z4workv", throws), throws)) == Names{"catch 1", "resume 1"});
}

TEST_CASE("transfers: none where calls are only counted, or the function is observed itself") {
  const std::vector<Candidate> jumps = {c_program(), runtime()};
  CHECK(find_transfers(plan_of("work", jumps, spec::ExitMode::kEntryOnly), jumps).empty());
  const std::vector<Candidate> itself = {runtime(), c_program()};
  CHECK(names(find_transfers(plan_of("longjmp", itself), itself)) ==
        std::vector<std::string>{"catch 0", "resume 0"});
}

TEST_CASE("transfers: what is known to switch stacks is watched under its own name") {
  Candidate switcher = built_image("/lib/libco.so", ".s",
                                   ".globl change\n.type change, @function\nchange: push %rbx; pop "
                                   "%rbx; ret\n.size change, 3\n");
  const std::vector<Candidate> before = {c_program(), switcher};
  CHECK(find_transfers(plan_of("work", before), before).empty());
  switcher.switching = "change";
  const std::vector<Candidate> both = {c_program(), switcher};
  CHECK(names(find_transfers(plan_of("work", both), both)) == std::vector<std::string>{"jump 1"});
}

TEST_CASE("transfers: each function by which control is transferred is known by its own name") {
  const auto runtime_of = [](const std::string& name) {
    return built_image("/lib/one.so", ".s",
                       ".globl " + name + "\n.type " + name + ", @function\n" + name +
                           ": push %rbx; pop %rbx; ret\n.size " + name + ", 3\n");
  };
  for (const std::string name :
       {"longjmp", "_longjmp", "siglongjmp", "__longjmp_chk", "setcontext", "swapcontext"}) {
    CAPTURE(name);
    const Candidate program = built_image(
        "/bin/jumps", ".s",
        ".globl work\n.type work, @function\nwork: jmp " + name + "@plt\n.size work, . - work\n",
        true);
    const std::vector<Candidate> both = {program, runtime_of(name)};
    CHECK(names(find_transfers(plan_of("work", both), both)) == std::vector<std::string>{"jump 1"});
  }
  for (const auto& [name, kind] :
       {std::pair<std::string, std::string>{"_Unwind_RaiseException", "throw"},
        {"_Unwind_ForcedUnwind", "force"},
        {"_Unwind_Resume", "resume"},
        {"_Unwind_Resume_or_Rethrow", "resume"},
        {"__cxa_begin_catch", "catch"}}) {
    CAPTURE(name);
    const std::vector<Candidate> both = {cpp_program(), runtime_of(name)};
    CHECK(names(find_transfers(plan_of("_Z4workv", both), both)) ==
          std::vector<std::string>{kind + " 1"});
  }
}
