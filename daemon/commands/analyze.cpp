// SPDX-License-Identifier: Apache-2.0
#include "commands/analyze.h"

#include <unistd.h>

#include <algorithm>

#include "commands/log_samples.h"
#include "commands/output_file.h"
#include "core/message.h"
#include "export/inside.h"
#include "logs/trace_logs.h"
#include "text/nearest.h"

namespace compmond::commands {
namespace {

using exporting::Format;

// What the end of a file's name asks for, before that of a packed one.
std::optional<Format> format_of_file(std::string path) {
  if (path.ends_with(kGzipEnd)) path.resize(path.size() - kGzipEnd.size());
  const std::string end = path.substr(std::min(path.rfind('.'), path.size() - 1) + 1);
  if (path.find('.') == std::string::npos) return std::nullopt;
  if (end == "dot" || end == "gv") return Format::kDot;
  if (end == "puml" || end == "plantuml") return Format::kPlantUml;
  if (end == "txt") return Format::kText;
  return from_text<exporting::Format>(end);
}

Result<Format> choose_format(const AnalyzeOptions& options, const std::vector<Format>& formats) {
  Format format = ::isatty(STDOUT_FILENO) == 1 ? Format::kText : Format::kJson;
  if (!options.format.empty())
    format = *from_text<exporting::Format>(options.format);
  else if (!options.output.empty() && !is_stdout(options.output))
    format = format_of_file(options.output).value_or(Format::kJson);
  if (std::ranges::find(formats, format) != formats.end()) return format;
  std::vector<std::string_view> names;
  for (const Format one : formats) names.push_back(to_text(one));
  return fail(Exit::kUsage, fmt::format("cannot write {} as {}", options.report, to_text(format)),
              fmt::format("it has the formats {}", text::listed(names)), "Choose one of them.");
}

Result<void> analyze(const AnalyzeOptions& options) {
  if (options.report == exporting::kInsideReport) {
    const auto format = choose_format(options, {Format::kText, Format::kJson});
    if (!format) return Unexpected(format.error());
    return write_inside(options.logs, options.inside, *format, options.output);
  }
  const exporting::ReportType& type = *exporting::report_type(options.report);
  const auto format = choose_format(options, type.formats);
  if (!format) return Unexpected(format.error());
  auto logs = logs::TraceLogs::open(options.logs, options.raw_costs);
  if (!logs) return Unexpected(std::move(logs.error()));
  auto output = OutputFile::open(options.output);
  if (!output) return Unexpected(std::move(output.error()));

  exporting::ReportOptions report_options = options.report_options;
  report_options.format = *format;
  const auto report = type.make(logs->catalogue(), report_options, *output);
  const logs::TraceLogs::Choice choice{options.repair, options.inside.from, options.inside.to};
  const auto facts = logs->read(choice, [&](const auto& trace) { report->add(trace); });
  if (!facts) return Unexpected(facts.error());
  if (auto finished = report->finish(*facts); !finished) return finished;
  if (const std::string note = report->note(); !note.empty()) say(note);
  return output->commit();
}

}  // namespace

int analyze_command(const AnalyzeOptions& options) {
  const auto done = analyze(options);
  return done ? int(Exit::kOk) : report(done.error());
}

}  // namespace compmond::commands
