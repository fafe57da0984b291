// SPDX-License-Identifier: Apache-2.0
#include "prepare/resolve.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "code/switches.h"
#include "core/byte_stream.h"
#include "core/limits.h"
#include "elf/image.h"
#include "elf/traits.h"
#include "guard/confined.h"
#include "plan/plan_message.h"
#include "plan/stack_switches.h"
#include "prepare/reading.h"
#include "text/match.h"

namespace compmond::prepare {
namespace {

constexpr size_t kLeftOut = 8;  // files that end the reader: each may cost the deadline
constexpr size_t kBuildIdBytes = 256;

// What the child says: a plan, or an error.
struct Answer {
  bool good = false;
  Error error;
  std::vector<std::string> build_ids;  // of all files; empty: it has none, or was not read
  bool switches_stacks = false;
  std::vector<uint32_t> half_read;  // files of which not all code was looked at for stack switches
  std::vector<uint32_t> guarded;    // files that look at their code
  std::string plan;
};

template <class Archive, class A>
requires std::is_same_v<std::remove_const_t<A>, Answer>
void fields(Archive& archive, A& answer) {
  archive(answer.good, answer.error.code, answer.error.what, answer.error.why, answer.error.next,
          answer.build_ids, answer.switches_stacks, answer.half_read, answer.guarded, answer.plan);
}

Answer answer_of(const Error& error) {
  Answer out;
  out.error = error;
  return out;
}

elf::Protector protector_of(const ImageFile& file) {
  if (!file.fd) return elf::Protector::kNone;
  const auto headers = elf::ElfFile::open(file.fd->get(), file.path);
  return headers ? elf::protector_of(*headers) : elf::Protector::kNone;
}

std::string told_of_packing(const ImageFile& file) {
  return fmt::format(
      "'{}' is packed by UPX, and its functions are unpacked elsewhere when it runs: observe an "
      "unpacked copy (upx -d)",
      file.path);
}

// Which programs are known to switch stacks, as Candidate::programs.
uint32_t switching_in(const std::vector<plan::Candidate>& candidates) {
  uint32_t out = 0;
  for (const plan::Candidate& one : candidates)
    if (!plan::common_stack_switches_of(one).empty()) out |= one.programs;
  return out;
}

// In the child: what used to be hostile bytes becomes a plan, or the error that a person sees.
class ConfinedPlanner {
 public:
  ConfinedPlanner(const spec::Spec& spec, const std::vector<ImageFile>& files,
                  const std::set<size_t>& left_out, const plan::PlanOptions& options)
      : spec_(spec), files_(files), left_out_(left_out), options_(options) {}

  std::string work(guard::Outside& outside) const {
    ByteWriter writer;
    writer(answer(outside));
    return writer.take();
  }

 private:
  Answer answer(guard::Outside& outside) const {
    Answer out;
    std::vector<plan::Candidate> candidates;
    for (size_t i = 0; i < files_.size(); ++i) {
      const ImageFile& file = files_[i];
      candidates.push_back({nullptr, file.path, file.main, file.hindrance});
      candidates.back().programs = file.programs;
      if (!file.fd || left_out_.count(i) != 0) continue;
      outside.at(uint32_t(i));
      const auto debug_files = [&](const std::string& path) {
        return outside.open(uint32_t(i), path);
      };
      auto image = elf::Image::open(Fd(file.fd->get()), file.path, debug_files);
      if (!image && file.wanted) return answer_of(image.error());
      if (!image) continue;
      const auto protector = file.wanted ? protector_of(file) : elf::Protector::kNone;
      if (protector == elf::Protector::kVmProtect) out.guarded.push_back(uint32_t(i));
      if (protector == elf::Protector::kUpx) candidates.back().packed = told_of_packing(file);
      candidates.back().image = std::make_shared<elf::Image>(std::move(*image));
      if ((file.programs & ~switching_in(candidates)) == 0) continue;  // one is reason enough
      const auto switches = code::find_stack_switches(*candidates.back().image);
      candidates.back().switching = switches.found;
      if (!switches.whole) out.half_read.push_back(uint32_t(i));
    }
    plan::PlanOptions options = options_;
    options.looks_at = [&](size_t candidate) { outside.at(uint32_t(candidate)); };
    const auto plan = plan::make_plan(spec_, candidates, options);
    if (!plan) return answer_of(plan.error());
    out.good = true;
    for (const plan::Candidate& candidate : candidates)
      out.build_ids.push_back(candidate.image ? candidate.image->build_id() : "");
    out.switches_stacks = plan::switches_stacks(candidates);
    out.plan = plan::to_message(*plan);
    return out;
  }

  const spec::Spec& spec_;
  const std::vector<ImageFile>& files_;
  const std::set<size_t>& left_out_;
  const plan::PlanOptions& options_;
};

// Anything may be said by the child.
Exit possible(Exit code) {
  constexpr std::array kPossible = {Exit::kData, Exit::kNoInput, Exit::kUnavailable,
                                    Exit::kNoPermission};
  return std::ranges::find(kPossible, code) == kPossible.end() ? Exit::kInternal : code;
}

std::vector<std::string> other_builds(const spec::Spec& spec, const std::vector<ImageFile>& files,
                                      const std::vector<std::string>& build_ids) {
  std::vector<std::string> out;
  for (size_t i = 0; i < files.size(); ++i) {
    const auto meant = spec.build_ids.find(std::string(text::leaf(files[i].path)));
    if (meant == spec.build_ids.end() || build_ids[i].empty() || build_ids[i] == meant->second)
      continue;
    out.push_back(fmt::format(
        "{} is another build than the spec was made for ({}, not {}): its functions may have other "
        "names by now, or do other things. compmond check tells which are there, and compmond "
        "suggest drafts a new spec",
        files[i].path, build_ids[i], meant->second));
  }
  return out;
}

Result<Resolved> take(const guard::Outcome& outcome, const spec::Spec& spec,
                      const std::vector<ImageFile>& files, const plan::PlanOptions& options) {
  Answer answer;
  ByteReader reader(outcome.result);
  reader(answer);
  if (!reader.at_end() || answer.build_ids.size() > files.size() ||
      std::ranges::any_of(answer.build_ids,
                          [](const std::string& id) { return id.size() > kBuildIdBytes; }) ||
      answer.half_read.size() > files.size() || answer.guarded.size() > files.size())
    return fail(Exit::kInternal, "cannot resolve the spec",
                "the process that reads files gave an answer that is none",
                "One of the target's files may be made to deceive compmond.");
  if (!answer.good) {
    answer.error.code = possible(answer.error.code);
    return Unexpected(std::move(answer.error));
  }
  plan::PlanContext context{spec, {}, {}, options.many};
  for (const plan::PlannerOf& planner : options.planners) context.engines.push_back(planner.engine);
  for (const ImageFile& file : files) context.files.push_back({file.path, file.main, file.size});
  auto plan = plan::plan_from_message(answer.plan, context);
  if (!plan) return Unexpected(plan.error());
  for (plan::PlannedImage& image : plan->images) {
    const ImageFile& file = files[image.candidate];
    if (!file.fd)
      return fail(Exit::kInternal, "cannot resolve the spec",
                  "the plan is about a file that was not read");
    image.file = file.fd;
    image.device = file.device;
    image.inode = file.inode;
  }
  Resolved out{{}, answer.switches_stacks, std::move(*plan), {}};
  for (const ImageFile& file : files) out.files.push_back({file.device, file.inode});
  answer.build_ids.resize(files.size());
  for (size_t i = 0; i < files.size() && files[i].main; ++i)
    out.programs.push_back(
        {files[i].path, answer.build_ids[i], files[i].fd, files[i].device, files[i].inode});
  out.notes = other_builds(spec, files, answer.build_ids);
  for (const uint32_t i : answer.half_read)
    if (i < files.size())
      out.notes.push_back(
          fmt::format("{} has too much code that sets its stack pointer for all of it to be read: "
                      "where it switches stacks by instructions of its own, set \"exit\": "
                      "\"ret-sites\"",
                      files[i].path));
  for (const uint32_t i : answer.guarded)
    if (i < files.size())
      out.notes.push_back(
          fmt::format("{} is protected by VMProtect: it may sum up its code, see the probes in it, "
                      "and end for that; --engine sampling changes no code",
                      files[i].path));
  return out;
}

}  // namespace

Result<Resolved> resolve(const spec::Spec& spec, const std::vector<ImageFile>& files,
                         const plan::PlanOptions& options, const guard::ConfinedLimits& limits) {
  std::set<size_t> left_out;
  std::vector<std::string> notes;
  for (;;) {
    const ConfinedPlanner planner(spec, files, left_out, options);
    const auto outcome = guard::run_confined(
        descriptors(files), [&](guard::Outside& outside) { return planner.work(outside); },
        [&](uint32_t where, const std::string& path) {
          return open_debug_file(files, where, path);
        },
        limits);
    if (!outcome) return Unexpected(outcome.error());
    if (outcome->whole) {
      auto resolved = take(*outcome, spec, files, options);
      if (resolved)
        resolved->notes.insert(resolved->notes.begin(), std::make_move_iterator(notes.begin()),
                               std::make_move_iterator(notes.end()));
      return resolved;
    }
    const size_t at = std::min<size_t>(outcome->step, files.size() - 1);
    const std::string why = "the process that reads it " + outcome->why;
    if (files[at].wanted || left_out.size() >= kLeftOut || !left_out.insert(at).second)
      return fail(Exit::kData, "cannot read '" + files[at].path + "'", why,
                  "The file is damaged or made to do harm; please report it if it is neither");
    notes.push_back(fmt::format("{} could not be looked at for risks: {}", files[at].path, why));
  }
}

}  // namespace compmond::prepare
