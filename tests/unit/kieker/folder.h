// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "kieker/reader.h"
#include "traces/assembler.h"

namespace compmond::kieker::test {

// A temporary folder with files in it; gone at the end of its scope.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "compmond-log-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  Folder(const Folder&) = delete;
  ~Folder() { std::filesystem::remove_all(path_); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name, std::ios::binary) << text;
  }
  std::string path(const std::string& name = "") const {
    return name.empty() ? path_.string() : (path_ / name).string();
  }

 private:
  std::filesystem::path path_;
};

constexpr const char* kMap =
    "$0=kieker.common.record.misc.KiekerMetadataRecord\n"
    "$1=kieker.common.record.controlflow.OperationExecutionRecord\n"
    "$2=kieker.common.record.flow.trace.TraceMetadata\n"
    "$3=kieker.common.record.flow.trace.operation.BeforeOperationEvent\n"
    "$4=kieker.common.record.flow.trace.operation.AfterOperationEvent\n"
    "$5=kieker.common.record.flow.trace.operation.AfterOperationFailedEvent\n"
    "$6=kieker.common.record.flow.trace.operation.constructor.BeforeConstructorEvent\n"
    "$7=kieker.common.record.flow.trace.operation.constructor.AfterConstructorEvent\n"
    "$8=kieker.common.record.flow.trace.operation.CallOperationEvent\n"
    "$9=kieker.common.record.system.CPUUtilizationRecord\n"
    "$10=kieker.common.record.flow.trace.operation.constructor.AfterConstructorFailedEvent\n"
    "$11=kieker.common.record.flow.trace.operation.object.BeforeOperationObjectEvent\n"
    "$12=kieker.common.record.flow.trace.operation.object.AfterOperationObjectEvent\n";

// Everything that one read of a folder gives.
struct Reading {
  traces::Catalogue catalogue;
  std::vector<traces::Trace> traces;
  traces::TraceAssembler::Counts counts;
  std::vector<std::string> broken;
  traces::BadRecords damage;
  uint64_t skipped = 0;

  explicit Reading(const std::vector<std::string>& folders, bool repair = false) {
    std::vector<std::unique_ptr<traces::TraceLog>> logs;
    for (const std::string& folder : folders) {
      auto reader = KiekerReader::open(folder, catalogue);
      REQUIRE_MESSAGE(reader, (reader ? "" : reader.error().text()));
      logs.push_back(std::move(*reader));
    }
    traces::TraceAssembler::Options options;
    options.repair = repair;
    options.linger_ns = traces::kLingerNs;
    traces::TraceAssembler assembler(
        options, [this](const traces::Trace& trace) { traces.push_back(trace); });
    read_merged(logs, assembler, [] {});
    assembler.finish();
    counts = assembler.counts();
    broken = assembler.examples();
    for (const auto& log : logs) {
      for (const std::string& example : log->bad_records().examples) damage.add(example);
      skipped += log->skipped();
    }
  }
  // "0/0 C.f() 100-200" per execution: eoi/ess, name, times.
  std::vector<std::string> lines(size_t trace) const {
    std::vector<std::string> out;
    for (const auto& e : traces.at(trace).executions) {
      const auto& operation = catalogue.operations()[e.operation];
      out.push_back(fmt::format("{}/{} {}.{} {}-{}{}", e.eoi, e.ess, operation.component,
                                operation.name, e.start_ns, e.end_ns, e.failed ? " failed" : ""));
    }
    return out;
  }
};

using Lines = std::vector<std::string>;

// Reads one .dat file with the map above.
inline Reading read_text(const std::string& dat, bool repair = false) {
  const Folder folder;
  folder.write("kieker.map", kMap);
  folder.write("kieker-1.dat", dat);
  return Reading({folder.path()}, repair);
}

}  // namespace compmond::kieker::test
