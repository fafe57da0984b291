// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "base/fresh_file.h"
#include "base/result.h"
#include "traces/traced.h"

namespace compmond::kieker {

// Writes traces as a log of Kieker's text format: a folder with kieker.map and one .dat file of
// OperationExecutionRecords, which Kieker's own tools read. An operation that came from Kieker
// keeps its signature; others get one made of their component's path and name. Whether an execution
// failed is not part of these records.
class KiekerWriter {
 public:
  // Makes the folder. Exit::kCantCreate when it exists and is not empty, or cannot be made. The
  // catalogue must outlive the writer.
  static Result<KiekerWriter> open(const std::string& folder, const traces::Catalogue& catalogue);

  void write(const traces::Trace& trace);
  Result<void> commit();

 private:
  KiekerWriter(std::string folder, const traces::Catalogue& catalogue, FreshFile data)
      : folder_(std::move(folder)), catalogue_(catalogue), data_(std::move(data)) {}
  const std::string& signature(uint32_t operation);
  void flush();

  std::string folder_;
  const traces::Catalogue& catalogue_;
  FreshFile data_;
  Result<void> written_;  // the first failure
  std::string buffer_;
  bool begun_ = false;
  std::vector<std::string> signatures_;              // per operation, escaped; empty: not made yet
  std::unordered_map<std::string, uint32_t> taken_;  // made signature -> operation
  std::vector<uint32_t> order_;                      // reused
};

}  // namespace compmond::kieker
