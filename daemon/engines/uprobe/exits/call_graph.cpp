// SPDX-License-Identifier: Apache-2.0
#include "uprobe_exits/call_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

namespace compmond::uprobe {
namespace {

constexpr size_t kFunctionsPerProof = 500;  // proofs that hold need some dozens
constexpr size_t kFunctionsInAll = 20'000;  // some two seconds

template <size_t N>
bool one_of(std::string_view name, const std::array<std::string_view, N>& names) {
  return std::ranges::find(names, name) != names.end();
}

// Of the C library: by their own contracts they call nothing that they are handed. Many are chosen
// by the CPU at run time, or are system calls, which reading does not see through.
constexpr std::string_view kHarmless =
    " memcpy memmove memset memcmp memchr memrchr mempcpy bcmp strlen strnlen strcpy "
    "strncpy strcat strncat strcmp strncmp strcasecmp strncasecmp strchr strrchr "
    "strchrnul strstr strspn strcspn strpbrk strdup strndup stpcpy strtol strtoul "
    "strtoll strtoull strtod malloc calloc realloc free memalign aligned_alloc "
    "posix_memalign abort __stack_chk_fail __memcpy_chk __memmove_chk __memset_chk "
    "__strcpy_chk __strncpy_chk __strcat_chk __strncat_chk __errno_location "
    "__tls_get_addr time clock_gettime gettimeofday getpid close lseek fstat stat "
    "unlink fdatasync fsync ftruncate getenv __assert_fail pthread_self "
    "pthread_mutex_lock pthread_mutex_unlock pthread_mutex_trylock __isoc99_sscanf "
    "__ctype_b_loc __ctype_tolower_loc __ctype_toupper_loc ";
bool is_harmless(const std::string& name) {
  return name.find(' ') == name.npos && kHarmless.find(' ' + name + ' ') != kHarmless.npos;
}

// They look at where they return to: who jumps to them shows them its own caller.
constexpr auto kAskForCaller =
    std::to_array<std::string_view>({"dlsym", "dlvsym", "dlopen", "dlmopen", "dladdr", "dladdr1"});
// They walk the stack, from who calls them upwards.
constexpr auto kWalkers = std::to_array<std::string_view>(
    {"backtrace", "_Unwind_Backtrace", "unw_backtrace", "unw_step", "_ULx86_64_step"});

}  // namespace

CallGraph::CallGraph(const std::vector<plan::Candidate>& candidates, LinkedImages& linked)
    : candidates_(candidates), linked_(linked), readers_(candidates.size()) {}

std::string CallGraph::opening(Place function) {
  const auto [known, fresh] = openings_.try_emplace(function);
  std::string& why = known->second;
  if (!fresh) return why;
  std::set<Place> seen{function};
  std::vector<Place> open{function};
  const auto go_to = [&](Place next) {
    if (seen.insert(next).second) open.push_back(next);
  };
  while (!open.empty() && why.empty()) {
    const Place at = open.back();
    open.pop_back();
    const std::string where = at == function ? "" : "in " + name_of(at) + " ";
    if (seen.size() > kFunctionsPerProof || calls_.size() > kFunctionsInAll) {
      why = "it leads to more functions than are looked through";
      break;
    }
    const code::Calls& calls = this->calls(at);
    if (!calls.unknown.empty()) why = where + calls.unknown;
    for (const auto& target : calls.targets) {
      if (!target.slot) {
        go_to({at.image, target.vaddr});
        continue;
      }
      const std::string* import = linked_.import_at({at.image, target.vaddr});
      if (!import) {
        why = where + "it calls through a pointer";
        break;
      }
      if (is_harmless(*import)) continue;
      const auto& definitions = linked_.definitions(*import);
      if (!definitions.known || definitions.places.empty()) {
        why = where + "it calls " + *import;
        break;
      }
      for (const Place place : definitions.places) go_to(place);
    }
  }
  return why;
}

std::string CallGraph::return_address_use(Place function) {
  const std::string self = name_of(function);
  if (one_of(self, kAskForCaller)) return "it looks at where it returns to";
  if (one_of(self, kWalkers)) return "it walks the stack";
  std::set<Place> seen{function};
  std::vector<Place> open{function};  // these return to where `function` does
  while (!open.empty() && seen.size() <= kFunctionsPerProof) {
    const Place at = open.back();
    open.pop_back();
    const code::Calls& calls = this->calls(at);
    if (calls.reads_return_address)
      return at == function
                 ? "it looks at where it returns to"
                 : fmt::format("it jumps to {}, which looks at where it returns to", name_of(at));
    for (const auto& target : calls.targets) {
      const std::string* import =
          target.slot ? linked_.import_at({at.image, target.vaddr}) : nullptr;
      const std::string callee = import ? *import : name_of({at.image, target.vaddr});
      if (one_of(callee, kWalkers)) return "it walks the stack (" + callee + ")";
      if (!target.tail) continue;
      if (one_of(callee, kAskForCaller))
        return fmt::format("it jumps to {}, which looks at where it returns to", callee);
      if (!target.slot) {
        if (seen.insert({at.image, target.vaddr}).second) open.push_back({at.image, target.vaddr});
      } else if (import) {
        for (const Place place : linked_.definitions(*import).places)
          if (seen.insert(place).second) open.push_back(place);
      }
    }
  }
  return {};
}

const code::Calls& CallGraph::calls(Place function) {
  const auto [known, fresh] = calls_.try_emplace(function);
  if (!fresh) return known->second;
  auto& reader = readers_[function.image];
  if (!reader) reader = std::make_unique<code::CallReader>(*candidates_[function.image].image);
  known->second = reader->read(function.vaddr);
  return known->second;
}

std::string CallGraph::name_of(Place function) const {
  const auto& symbols = candidates_[function.image].image->symbols();
  const auto at = std::ranges::lower_bound(symbols, function.vaddr, {}, &elf::Symbol::vaddr);
  for (auto it = at; it != symbols.end() && it->vaddr == function.vaddr; ++it)
    if (it->kind == elf::SymbolKind::kFunction) return it->name;
  return fmt::format("{:#x}", function.vaddr);
}

}  // namespace compmond::uprobe
