// SPDX-License-Identifier: Apache-2.0
#include "commands/suggest.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <string>
#include <utility>

#include "commands/output_file.h"
#include "commands/suggest_runs.h"
#include "core/message.h"
#include "prepare/target_set.h"
#include "suggest/draft.h"
#include "suggest/draft_text.h"
#include "suggest/edit.h"
#include "suggest/samples.h"
#include "suggest_reading/read_program.h"
#include "target/proc_folder.h"
#include "text/match.h"
#include "text/numbers.h"

namespace compmond::commands {
namespace {

// Why there is nothing to write.
Unexpected nothing_to_draft(const suggest::Program& program) {
  const suggest::Image& main = program.images.front();
  const auto named = [&](const auto& one) { return program.images[one.image].main; };
  if (std::ranges::none_of(program.functions, named))
    return fail(
        Exit::kData, "cannot draft a spec",
        fmt::format("no function of {} has a name: {}", main.path,
                    main.stripped ? "it is stripped" : "it has no symbols"),
        "Names come with the distribution's debug symbols (a package …-dbgsym), with a debug file "
        "beside the program or below /usr/lib/debug, or with a build that is not stripped.");
  return fail(Exit::kData, "cannot draft a spec",
              "of no function with a name it was seen that it begins and ends",
              "Let the program do what it is for meanwhile, or look longer: --seconds 30.");
}

suggest::Draft draft_of_code(const std::string& name, const suggest::Program& program,
                             std::string why) {
  say(fmt::format("the draft is of names and code alone: {}", why));
  suggest::Draft out = suggest::draft_of(name, program, {});
  out.unseen.push_back("what it does: " + std::move(why));
  return out;
}

// What short runs add; what they cannot is said.
Result<suggest::Draft> look(const SuggestOptions& options, const std::string& name,
                            const suggest::Program& program) {
  auto runs = SuggestRuns::open(options.target, options.seconds);
  if (!runs) return Unexpected(std::move(runs.error()));
  say(fmt::format("taking samples for {:g} s", options.seconds));
  auto evidence = runs->sample(program);
  if (!evidence && was_stopped(evidence.error())) return Unexpected(std::move(evidence.error()));
  if (!evidence) return draft_of_code(name, program, evidence.error().why);
  if (evidence->samples == 0)
    return draft_of_code(
        name, program,
        fmt::format("in {:.3g} s it did nothing that a sample met", evidence->seconds));
  suggest::Draft draft = suggest::draft_of(name, program, std::move(*evidence));
  if (draft.components.empty()) return draft;
  say(fmt::format("counting calls of {} for {:g} s, within the default overhead budget",
                  text::counted(draft.components.size(), "component"), options.seconds));
  auto counted = runs->count(suggest::spec_text(draft));
  if (!counted && was_stopped(counted.error())) return Unexpected(std::move(counted.error()));
  if (counted) {
    suggest::take_counts(draft, *counted);
  } else {
    suggest::take_no_counts(draft);
    draft.unseen.push_back(fmt::format("how often it is called: {}", counted.error().why));
  }
  return draft;
}

// As people call it: a process may run another file than the one that they started.
std::string name_of(const prepare::TargetSet& targets) {
  const std::string exe(text::leaf(targets.programs().front().exe));
  if (targets.by_exe() || targets.processes().empty()) return exe;
  const auto stat = target::read_stat(fmt::format("/proc/{}", targets.processes().front().pid()));
  return stat && !stat->name.empty() ? stat->name : exe;
}

Result<suggest::Draft> drafted(const SuggestOptions& options) {
  auto targets = prepare::TargetSet::find(options.target);
  if (!targets) return Unexpected(std::move(targets.error()));
  const auto files = targets->open_images(spec::Spec());
  if (!files) return Unexpected(files.error());
  auto program = suggest::read_program(*files);
  if (!program) return Unexpected(std::move(program.error()));
  if (program->functions.empty()) return nothing_to_draft(*program);
  const std::string name = name_of(*targets);
  say(fmt::format(
      "{} in {}",
      text::counted(program->functions.size(), "function has a name", "functions have names"),
      text::counted(program->images.size(), "file")));
  auto draft = Result<suggest::Draft>();
  if (!options.look)
    draft = suggest::draft_of(name, *program, {});
  else if (targets->processes().empty())
    draft = draft_of_code(name, *program, "no process of it runs");
  else
    draft = look(options, name, *program);
  if (draft && draft->components.empty()) return nothing_to_draft(*program);
  return draft;
}

// Until it is accepted; false: it is not wanted.
bool let_edit(suggest::Draft& draft) {
  for (std::string line;;) {
    std::fprintf(stderr, "%s%s\n> ", suggest::overview(draft).c_str(),
                 suggest::edit_help().c_str());
    if (!std::getline(std::cin, line)) return false;
    const auto edited = suggest::edit(draft, line);
    if (!edited) report(edited.error());
    if (edited && *edited != suggest::Edited::kChanged)
      return *edited == suggest::Edited::kAccepted;
  }
}

// What would be in vain after all the looking.
Result<void> check_ways_out(const SuggestOptions& options) {
  if (options.interactive && ::isatty(STDIN_FILENO) == 0)
    return fail(Exit::kUsage, "cannot ask about the draft", "stdin is no terminal",
                "Leave out --interactive, and change the file.");
  if (const auto file = OutputFile::open(options.output); !file) return Unexpected(file.error());
  return {};
}

Result<void> write_draft(const SuggestOptions& options) {
  if (auto fine = check_ways_out(options); !fine) return fine;
  auto draft = drafted(options);
  if (!draft) return Unexpected(std::move(draft.error()));
  if (options.interactive && !let_edit(*draft)) return {};
  auto file = OutputFile::open(options.output);
  if (!file) return Unexpected(std::move(file.error()));
  file->put(suggest::spec_text(*draft));
  if (auto written = file->commit(); !written) return written;
  if (!options.interactive) std::fprintf(stderr, "%s", suggest::overview(*draft).c_str());
  return {};
}

}  // namespace

int suggest_command(const SuggestOptions& options) {
  const auto done = write_draft(options);
  return done ? int(Exit::kOk) : report(done.error());
}

}  // namespace compmond::commands
