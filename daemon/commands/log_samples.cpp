// SPDX-License-Identifier: Apache-2.0
#include "commands/log_samples.h"

#include <cstdio>

#include "commands/output_file.h"
#include "core/message.h"
#include "export/inside.h"
#include "terminal/inside.h"
#include "text/numbers.h"

namespace compmond::commands {
namespace {

using snapshot::Inside;

std::string name_of(const replay::SamplesAsked& asked) {
  return asked.part.empty() ? "all that was sampled" : asked.part;
}

void say_what_lacks(const replay::LoggedInside& found) {
  if (found.damaged > 0)
    say(text::counted(found.damaged, "place of the log cannot be read; the rest was",
                      "places of the log cannot be read; the rest was"));
  if (!found.view.as<Inside>()->complete)
    say("there is not enough room for all samples: of the oldest nothing is told (--from and --to "
        "choose a part)");
  if (found.view.left_out > 0)
    say(text::counted(found.view.left_out, "function or path is left out",
                      "functions and paths are left out"));
}

Result<replay::LoggedInside> look(const std::vector<std::string>& logs,
                                  const replay::SamplesAsked& asked) {
  if (logs.size() > 1)
    return fail(Exit::kUsage, "cannot look inside several logs at once",
                "samples are counted against the CPU time of one run", "Give one log.");
  auto found = replay::inside_of_log(logs.front(), asked);
  if (found) say_what_lacks(*found);
  return found;
}

template <class Write>
Result<void> write_to(const std::string& output, Write&& write) {
  auto file = OutputFile::open(output);
  if (!file) return Unexpected(std::move(file.error()));
  write(*file);
  return file->commit();
}

terminal::Style style_for(const std::string& output) {
  if (output.empty() || is_stdout(output)) return terminal::style_of(::fileno(stdout));
  return {};
}

}  // namespace

Result<void> write_inside(const std::vector<std::string>& logs, const replay::SamplesAsked& asked,
                          exporting::Format format, const std::string& output) {
  const auto found = look(logs, asked);
  if (!found) return Unexpected(found.error());
  return write_to(output, [&](Out& out) {
    if (format == exporting::Format::kJson)
      exporting::write_inside_json(out, found->view, asked.part, found->damaged);
    else
      out.put(terminal::inside(*found->view.as<Inside>(), name_of(asked), {}, style_for(output)));
  });
}

Result<void> export_samples(const std::vector<std::string>& logs, const replay::SamplesAsked& asked,
                            const exporting::ExportType& type, const std::string& output) {
  const auto found = look(logs, asked);
  if (!found) return Unexpected(found.error());
  return write_to(
      output, [&](Out& out) { type.of_samples(out, *found->view.as<Inside>(), name_of(asked)); });
}

}  // namespace compmond::commands
