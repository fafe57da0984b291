// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "export/export.h"
#include "export/report.h"
#include "traces/assembler.h"

namespace compmond::exporting::test {

// Two traces of one shape and one of another, with names that every format must take.
struct Case {
  traces::Catalogue catalogue;
  std::vector<traces::Trace> traces;

  explicit Case(const std::string& component = "Shop", const std::string& operation = "buy(..)") {
    catalogue.host("web");
    catalogue.session("s");
    const uint32_t outer = catalogue.operation(component, operation),
                   inner = catalogue.operation("Store", "get");
    for (int64_t id = 1; id <= 3; ++id) {
      const uint64_t at = 1'000'000'000 * uint64_t(id);
      std::vector<traces::TracedExecution> all = {{id, at, at + 1000, outer, 0, 0, 0, 0, id == 3}};
      if (id < 3) all.push_back({id, at + 100, at + 400, inner, 0, 0, 1, 1, false});
      traces::Trace trace;
      trace.id = id;
      REQUIRE_FALSE(traces::build_trace(all, trace));
      traces.push_back(trace);
    }
  }

  template <class Make>
  std::string made(Make make, Format format, ReportOptions options = {}) const {
    options.format = format;
    StringOut out;
    const auto report = make(catalogue, options, out);
    for (const auto& trace : traces) report->add(trace);
    const auto done = report->finish({traces.size(), 5, 0, 0, 0});
    REQUIRE_MESSAGE(done, (done ? "" : done.error().text()));
    return out.text();
  }
  std::string report(const char* name, Format format, const ReportOptions& options = {}) const {
    return made(report_type(name)->make, format, options);
  }
  nlohmann::json json(const char* name, const ReportOptions& options = {}) const {
    return nlohmann::json::parse(report(name, Format::kJson, options));
  }
};

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// Names that hurt: markup and separators of all formats, control characters, ill-formed UTF-8.
constexpr const char* kEvil =
    "a\"b<c>&d;e,f\\g\nh\x1b[31mi\x01j\xff{k}|l%m//n__o**p--q\u202er'`$(s)";

inline std::string exported(const Case& of, const char* format) {
  return of.made(export_type(format)->of_log, Format::kText);
}

inline std::string exported(const snapshot::Snapshot& snapshot, const char* format) {
  StringOut out;
  REQUIRE(export_type(format)->of_snapshot(snapshot, out));
  return out.text();
}

}  // namespace compmond::exporting::test
