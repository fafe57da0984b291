// SPDX-License-Identifier: Apache-2.0
#include "suggest_reading/read_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "code/insn.h"
#include "core/byte_stream.h"
#include "core/limits.h"
#include "elf/image.h"
#include "guard/confined.h"
#include "names/pattern.h"
#include "plan/display_name.h"
#include "prepare/reading.h"
#include "suggest/name_parts.h"
#include "text/clean.h"

namespace compmond::suggest {

// For messages, see ByteWriter.
template <class Archive, class A>
requires std::is_same_v<std::remove_const_t<A>, Image>
void fields(Archive& archive, A& image) {
  archive(image.path, image.build_id, image.main, image.stripped);
}
template <class Archive, class A>
requires std::is_same_v<std::remove_const_t<A>, Function>
void fields(Archive& archive, A& function) {
  archive(function.symbol, function.name, function.image, function.vaddr, function.size,
          function.exported);
}
template <class Archive, class A>
requires std::is_same_v<std::remove_const_t<A>, Call>
void fields(Archive& archive, A& call) { archive(call.from, call.to); }

namespace {

constexpr size_t kMostFunctions = 400'000, kMostCalls = 8'000'000;
constexpr uint64_t kMostBytes = 1u << 20;  // of a function that is decoded
constexpr size_t kLeftOut = 8;             // files that end the reader

struct Answer {
  bool good = false;
  std::string what, why;
  std::vector<uint32_t> files;  // of `images`
  Program program;
};

template <class Archive, class A>
requires std::is_same_v<std::remove_const_t<A>, Answer>
void fields(Archive& archive, A& answer) {
  archive(answer.good, answer.what, answer.why, answer.files, answer.program.images,
          answer.program.functions, answer.program.calls);
}

bool is_text(const std::string& name) {
  return name.size() <= limits::kNameBytes && text::clean(name) == name;
}

// Whether a spec can mean that function alone by its raw name.
bool can_be_named(const std::string& symbol) {
  return is_text(symbol) && symbol.find_first_of("*?@+") == std::string::npos &&
         !symbol.starts_with("re:");
}

void add_functions(const elf::Image& image, Program& to) {
  static const auto all = names::Pattern::compile("*");
  const auto number = uint32_t(to.images.size() - 1);
  for (const elf::Symbol* symbol : names::find(image, *all).functions) {
    std::string name = plan::plain_name(symbol->demangled);
    if (!can_be_named(symbol->name) || !is_text(name) || is_of_runtime(name) ||
        to.functions.size() >= kMostFunctions)
      continue;
    const uint64_t size = symbol->size ? symbol->size : image.fde_size(symbol->vaddr);
    to.functions.push_back(
        {symbol->name, std::move(name), number, symbol->vaddr, size, symbol->global});
  }
}

// Of those from `first` on, which are of that image and sorted.
void add_calls(const elf::Image& image, size_t first, Program& to) {
  const auto begin = to.functions.begin() + std::ptrdiff_t(first);
  for (auto from = begin; from != to.functions.end(); ++from) {
    const auto code = image.code(from->vaddr, std::min(from->size, kMostBytes));
    if (!code) continue;
    std::set<uint32_t> callees;
    for (size_t at = 0; at < code->size();) {
      const std::span rest = std::span(*code).subspan(at);
      const code::Step step =
          code::step(rest.first(std::min(rest.size(), code::kLongestInsn)), from->vaddr + at);
      at += std::max<size_t>(step.length, 1);
      if (step.target - from->vaddr < from->size || step.target == 0) continue;
      const auto to_whom =
          std::lower_bound(begin, to.functions.end(), step.target,
                           [](const Function& one, uint64_t vaddr) { return one.vaddr < vaddr; });
      if (to_whom != to.functions.end() && to_whom->vaddr == step.target)
        callees.insert(uint32_t(to_whom - to.functions.begin()));
    }
    for (const uint32_t callee : callees)
      if (to.calls.size() < kMostCalls)
        to.calls.push_back({uint32_t(from - to.functions.begin()), callee});
  }
}

// In the child.
Answer read(const std::vector<prepare::ImageFile>& files, const std::set<size_t>& left_out,
            guard::Outside& outside) {
  Answer out;
  for (size_t i = 0; i < files.size(); ++i) {
    const prepare::ImageFile& file = files[i];
    if (!file.fd || left_out.contains(i)) continue;
    if (!file.main && (is_runtime_library(file.path) || !is_text(file.path))) continue;
    outside.at(uint32_t(i));
    auto image = elf::Image::open(Fd(file.fd->get()), file.path, [&](const std::string& path) {
      return outside.open(uint32_t(i), path);
    });
    if (!image && file.main) {
      out.what = image.error().what;
      out.why = image.error().why;
      return out;
    }
    if (!image) continue;
    out.files.push_back(uint32_t(i));
    out.program.images.push_back({file.path, image->build_id(), file.main, image->stripped()});
    const size_t first = out.program.functions.size();
    add_functions(*image, out.program);
    std::stable_sort(out.program.functions.begin() + std::ptrdiff_t(first),
                     out.program.functions.end(),
                     [](const auto& a, const auto& b) { return a.vaddr < b.vaddr; });
    add_calls(*image, first, out.program);
  }
  out.good = true;
  return out;
}

// Anything may be said by the child.
bool well_formed(const Answer& answer, size_t files) {
  const Program& program = answer.program;
  const auto is_function = [&](uint32_t i) { return i < program.functions.size(); };
  return answer.files.size() == program.images.size() &&
         (!answer.good || !program.images.empty()) &&
         std::ranges::all_of(answer.files, [&](uint32_t file) { return file < files; }) &&
         std::ranges::all_of(
             program.functions,
             [&](const Function& one) { return one.image < program.images.size(); }) &&
         std::ranges::all_of(program.calls, [&](const Call& call) {
           return is_function(call.from) && is_function(call.to);
         });
}

Result<Program> take(const guard::Outcome& outcome, const std::vector<prepare::ImageFile>& files) {
  Answer answer;
  ByteReader reader(outcome.result);
  reader(answer);
  if (!reader.at_end() || !well_formed(answer, files.size()))
    return fail(Exit::kInternal, "cannot read the program",
                "the process that reads files gave an answer that is none",
                "One of the target's files may be made to deceive compmond.");
  if (!answer.good) return fail(Exit::kData, std::move(answer.what), std::move(answer.why));
  for (size_t i = 0; i < answer.files.size(); ++i) {
    answer.program.images[i].path = files[answer.files[i]].path;
    answer.program.images[i].main = files[answer.files[i]].main;
  }
  return std::move(answer.program);
}

}  // namespace

Result<Program> read_program(const std::vector<prepare::ImageFile>& files) {
  for (std::set<size_t> left_out;;) {
    const auto outcome = guard::run_confined(
        prepare::descriptors(files),
        [&](guard::Outside& outside) {
          ByteWriter writer;
          writer(read(files, left_out, outside));
          return writer.take();
        },
        [&](uint32_t where, const std::string& path) {
          return prepare::open_debug_file(files, where, path);
        });
    if (!outcome) return Unexpected(outcome.error());
    if (outcome->whole) return take(*outcome, files);
    const size_t at = std::min<size_t>(outcome->step, files.size() - 1);
    if (files[at].main || left_out.size() >= kLeftOut || !left_out.insert(at).second)
      return fail(Exit::kData, fmt::format("cannot read '{}'", files[at].path),
                  "the process that reads it " + outcome->why,
                  "The file is damaged or made to do harm; please report it if it is neither");
  }
}

}  // namespace compmond::suggest
