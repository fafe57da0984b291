// SPDX-License-Identifier: Apache-2.0
#include "cli/cli_logs.h"

#include "cli/contradictions.h"
#include "cli/shared_flags.h"
#include "cli/validators.h"
#include "core/message.h"
#include "export/export.h"
#include "export/inside.h"
#include "text/nearest.h"

namespace compmond::cli {
namespace {

std::vector<std::string> report_names() {
  std::vector<std::string> out;
  for (const auto& type : exporting::report_types()) out.emplace_back(type.name);
  out.emplace_back(exporting::kInsideReport);
  return out;
}

// Names and what they mean, for the foot of a help text.
std::string explained(const char* title, const auto& types) {
  std::string out = title;
  for (const auto& type : types) out += fmt::format("\n  {:<22}{}", type.name, type.description);
  return out;
}

void add_shared(CLI::App& app, std::string& output, const char* what, bool& with_host, bool& repair,
                bool& raw_costs) {
  app.add_option("-o,--output", output,
                 std::string(what) + ", packed with gzip where it ends in .gz; stdout if not given")
      ->type_name("FILE");
  app.add_flag("--with-host", with_host, "the same operation on another host is another one");
  app.add_flag("--repair", repair,
               "nest the executions of broken traces by their times instead of leaving them out");
  add_raw_costs(app, raw_costs);
}

void add_inside(CLI::App& sub, replay::SamplesAsked& asked) {
  sub.add_option("--component", asked.part,
                 "of samples: inside this component or operation; else of all that was sampled")
      ->type_name("NAME");
  add_moment(sub, "--from", asked.from,
             "only what goes on at TIME or later: seconds since the log's start, or a time of day "
             "(2024-05-17T08:30:00, with a zone: …Z, …+02:00)");
  add_moment(sub, "--to", asked.to, "only what goes on before TIME");
}

}  // namespace

void LogCommands::add_analyze(CLI::App& app) {
  CLI::App& sub = *app.add_subcommand(
      "analyze", "what the traces of logs show: graphs, call trees, sequences and more");
  analyze_app_ = &sub;
  exporting::ReportOptions& of = analyze_.report_options;
  sub.add_option("LOG", analyze_.logs, "a log; several are read as one")->required();
  sub.add_option("--report", analyze_.report, "which analysis, see below")
      ->check(CLI::IsMember(report_names()).description(""))
      ->required()
      ->type_name("NAME");
  sub.add_option("--level", level_,
                 "what to tell apart: " + text::listed(all_words<graphs::Level>(), "or"))
      ->check(CLI::IsMember(all_words<graphs::Level>()).description(""))
      ->type_name("LEVEL");
  const std::vector<std::string> formats = all_words<exporting::Format>();
  sub.add_option("--format", analyze_.format,
                 text::listed(formats, "or") +
                     "; if not given by the end of FILE, else text on a terminal, json elsewhere")
      ->check(CLI::IsMember(formats).description(""))
      ->type_name("NAME");
  add_shared(sub, analyze_.output, "where to write", of.with_host, analyze_.repair,
             analyze_.raw_costs);
  sub.add_flag("--self-calls", of.self_calls,
               "in graphs: also calls of a component or host to itself");
  trace_given_ = sub.add_option("--trace", trace_, "only this trace")->type_name("ID");
  class_given_ = sub.add_option("--class", class_number_,
                                "the class of this number, as equivalence-classes lists them")
                     ->check(above_zero())
                     ->type_name("N")
                     ->excludes(trace_given_);
  add_inside(sub, analyze_.inside);
  sub.footer(explained("Reports:", exporting::report_types()) +
             "\n  inside                in which functions time goes, from the samples of a log");
}

void LogCommands::add_export(CLI::App& app) {
  CLI::App& sub =
      *app.add_subcommand("export", "logs or a snapshot in the formats of other programs");
  export_app_ = &sub;
  sub.add_option("INPUT", export_.inputs, "a log, or several; or a snapshot")->required();
  auto names = commands::export_format_names();
  const std::string shown = text::listed(names, "or");
  names.emplace_back("perfetto");  // told apart by the command
  sub.add_option("--format", export_.format, shown)
      ->check(CLI::IsMember(names).description(""))
      ->required()
      ->type_name("NAME");
  add_shared(sub, export_.output, "where to write (for kieker a folder to be made)",
             export_.with_host, export_.repair, export_.raw_costs);
  sub.add_flag("--samples", export_.samples,
               "of the log's samples, not of its calls: " +
                   text::listed(exporting::export_names(&exporting::ExportType::of_samples)));
  add_inside(sub, export_.inside);
  sub.footer(explained("Formats:", exporting::export_types()) +
             "\n  kieker                a folder in Kieker's text format: execution records"
             "\n  kieker-binary         the same in its binary format"
             "\n  kieker-events         in its text format: event records, which know what failed"
             "\n  kieker-events-binary  the same in its binary format");
}

void LogCommands::add_to(CLI::App& app) {
  add_analyze(app);
  add_export(app);
}

std::optional<int> LogCommands::run() {
  if (export_app_->parsed()) {
    if (const auto fine = check_times(export_.inside.from, export_.inside.to); !fine)
      return report(fine.error());
    return commands::export_command(export_);
  }
  if (!analyze_app_->parsed()) return std::nullopt;
  if (!level_.empty()) analyze_.report_options.level = *from_text<graphs::Level>(level_);
  if (*trace_given_) analyze_.report_options.trace = trace_;
  if (*class_given_) analyze_.report_options.class_number = class_number_;
  if (const auto fine = check_analyze(analyze_); !fine) return report(fine.error());
  return commands::analyze_command(analyze_);
}

}  // namespace compmond::cli
