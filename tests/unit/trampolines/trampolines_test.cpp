// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <set>

#include "patched.h"

using namespace compmond;
using namespace compmond::inprocess;

namespace {

using Function = long(long, long);

const std::string kMiddle = "add $0x1000,%rax; ";  // 6 bytes
const std::string kOther = own("other", "lea 7(%rdi,%rsi),%rax; ret");
// What it is left below the stack pointer.
const std::string kFinds = own("finds", "mov -8(%rsp),%rax; imul %rsi,%rax; ret");
const std::string kSave = "mov %rdi,%rax; ";

struct Case {
  std::string body, kinds;
};

// Of each kind, entries and exits, whose results depend on both arguments.
const std::vector<Case> kCases = {
    {"push %rbx; mov %rsi,%rbx; lea (%rdi,%rbx),%rax; " + kMiddle + kMiddle +
         "pop %rbx; ret; .skip 8,0x90",
     "behind-first return"},
    {"mov %rdi,-8(%rsp); " + kMiddle + kMiddle +
         "mov -8(%rsp),%rax; imul %rsi,%rax; ret; .skip 8,0x90",
     "first return"},
    {"sub $8,%rsp; call other; add $8,%rsp; " + kMiddle + "ret; .skip 8,0x90", "first-call return"},
    // 32 bytes, behind which the next function begins.
    {kSave + "imul $3,%rsi,%rcx; " + kMiddle + kMiddle +
         "add %rcx,%rax; shl $1,%rax; push %rbx; nop; pop %rbx; ret",
     "behind-first return-with-preceding"},
    {"mov %edi,%eax; add $1,%eax; ret", "behind-first"},
    {"mov %rdi,%rax; ret; .skip 12,0x90", "behind-first"},
    {kMiddle + kMiddle + kMiddle + "jmp other", "behind-first tail-jump"},
    {kSave + kMiddle + kMiddle + "mov %rdi,-8(%rsp); jmp finds", "behind-first tail-jump"},
    {kSave + kMiddle + kMiddle + "test %esi,%esi; je other; " + kMiddle + "ret; .skip 8,0x90",
     "behind-first tail-jump return"},
    {kSave + kMiddle + kMiddle +
         "1: test %esi,%esi; je 2f; jmp 3f; .skip 8,0x90; 2: repz ret; 3: shr $1,%esi; jmp 1b; " +
         ".skip 8,0x90",
     "behind-first short-exit"},
    {kSave + "1: add $1,%rax; cmp $9,%rax; jl 1b; ret; .skip 24,0x90", "short-entry return"},
};

const std::vector<std::pair<long, long>> kArguments = {
    {0, 0}, {1, 1}, {3, 0}, {-5, 7}, {1L << 40, -3}};

}  // namespace

TEST_CASE("trampolines: patched code does what it did, and tells of each call's begin and end") {
  std::set<PatchKind> seen;
  for (const auto& [body, kinds] : kCases) {
    CAPTURE(body);
    const bool finds = body.find("finds") != std::string::npos;
    Patched code(own("f", body) + (finds ? kFinds : kOther));
    std::string found;
    for (const PatchKind kind : code.kinds)
      found += (found.empty() ? "" : " ") + std::string(to_text(kind));
    CHECK(found == kinds);
    seen.insert(code.kinds.begin(), code.kinds.end());
    auto* const f = code.get<Function>("f");
    std::vector<long> before, after;
    for (const auto& [a, b] : kArguments) before.push_back(f(a, b));
    code.patch();
    for (const auto& [a, b] : kArguments) after.push_back(f(a, b));
    CHECK(before == after);
    const std::vector<Record> records = code.records(uint32_t(::gettid()));
    REQUIRE(records.size() == 2 * kArguments.size());
    for (size_t i = 0; i < records.size(); ++i) {
      REQUIRE(records[i].site - 1 < code.trampolines().sites().size());
      const Site& site = code.trampolines().sites()[records[i].site - 1];
      CHECK((site.kind == Site::Kind::kExit) == (i % 2 == 1));
      if (i == 0) continue;
      CHECK(records[i].ticks > records[i - 1].ticks);
      if (site.kind != Site::Kind::kExit) continue;
      const Site& entry = code.trampolines().sites()[records[i - 1].site - 1];
      CHECK(records[i].sp + site.depth == records[i - 1].sp + entry.depth);
    }
  }
  CHECK(seen.size() == 8);  // all kinds that there are
}

TEST_CASE("trampolines: one function's calls of another are told inside of its own") {
  Patched code(own("f", "push %rbx; mov %rsi,%rbx; " + kMiddle +
                            "call g; add %rbx,%rax; pop %rbx; ret; .skip 8,0x90") +
                   own("g", kSave + kMiddle + kMiddle + "ret; .skip 8,0x90"),
               {"f", "g"});
  auto* const f = code.get<Function>("f");
  const long before = f(4, 5);
  code.patch();
  CHECK(f(4, 5) == before);
  std::string told;
  for (const Record& record : code.records(uint32_t(::gettid()))) {
    const Site& site = code.trampolines().sites()[record.site - 1];
    told +=
        std::string(site.kind == Site::Kind::kExit ? "-" : "+") + (site.function == 0 ? "f" : "g");
  }
  CHECK(told == "+f+g-g-f");
}

TEST_CASE("trampolines: what was moved is known by both its addresses") {
  Patched code(
      own("f", kMiddle + kMiddle + kMiddle + kMiddle + "mov $1,%ecx; pop %rbx; push %rbx; ret") +
      kOther);
  const auto& twins = code.trampolines().twins();
  REQUIRE(twins.size() == 5);  // one at the entry, four at the exit
  for (const auto& twin : twins) {
    const auto* from = reinterpret_cast<const uint8_t*>(twin.original);
    const auto* to = reinterpret_cast<const uint8_t*>(twin.moved);
    if (*from != 0xc3) CHECK(*from == *to);  // a return records first
  }
}

TEST_CASE("trampolines: what cannot be reached leaves everything as it was") {
  const Assembled code(own("f", kMiddle + kMiddle + "ret; .skip 8,0x90"));
  const auto memory = code::memory_of(code.image());
  Patcher patcher(code.image());
  const FunctionPatches found = patcher.plan(code.symbol("f"));
  for (const uint64_t at : {uint64_t(1) << 32, uint64_t(1) << 40}) {
    Trampolines far(*memory, {.bias = 0, .at = at, .recorder = at + 4096});
    CHECK_FALSE(far.add(0, found));
    CHECK(
        (far.code().empty() && far.sites().empty() && far.writes().empty() && far.twins().empty()));
  }
  Trampolines other(*memory, {.bias = 0, .at = 1 << 20, .recorder = uint64_t(1) << 40});
  CHECK_FALSE(other.add(0, found));
  CHECK(other.code().empty());
}
