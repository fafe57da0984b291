// SPDX-License-Identifier: Apache-2.0
#include "kieker/writer.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <numeric>

#include "base/safe_file.h"
#include "kieker/signature.h"

namespace compmond::kieker {
namespace {

constexpr const char* kDataFile = "/kieker-000-compmond.dat";
constexpr const char* kMap =
    "$0=kieker.common.record.misc.KiekerMetadataRecord\n"
    "$1=kieker.common.record.controlflow.OperationExecutionRecord\n";
constexpr const char* kFormatVersion = "1.9";  // of Kieker; its records have not changed since
constexpr size_t kFlushBytes = 64 << 10;       // far above what a write call costs

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ';' || c == '\\')
      out += {'\\', c};
    else if (c == '\n' || c == '\r')
      out += {'\\', c == '\n' ? 'n' : 'r'};
    else
      out += c;
  }
  return out;
}

}  // namespace

Result<KiekerWriter> KiekerWriter::open(const std::string& folder,
                                        const traces::Catalogue& catalogue) {
  const std::string what = fmt::format("cannot write a log of Kieker to '{}'", folder);
  const char* next = "Name a folder that does not exist yet, in one with room and permission.";
  if (::mkdir(folder.c_str(), 0755) != 0) {
    if (errno != EEXIST) return fail_errno(Exit::kCantCreate, what, errno, next);
    std::error_code error;
    if (!std::filesystem::is_empty(folder, error) || error)
      return fail(Exit::kCantCreate, what, error ? error.message() : "it is not empty", next);
  }
  auto data = FreshFile::create(folder + kDataFile);
  if (!data) return Unexpected(std::move(data.error()));
  return KiekerWriter(folder, catalogue, std::move(*data));
}

// Different operations must not become one: a signature that is taken already is numbered.
const std::string& KiekerWriter::signature(uint32_t operation) {
  if (signatures_.size() <= operation) signatures_.resize(operation + 1);
  std::string& out = signatures_[operation];
  if (!out.empty()) return out;
  traces::TracedOperation of = catalogue_.operations()[operation];
  const std::string name = of.name;
  std::string text = of.signature.empty() ? make_signature(of) : of.signature;
  for (int copy = 2; !taken_.emplace(text, operation).second; ++copy) {
    of.name = fmt::format("_{}_{}", copy, name);
    text = make_signature(of);
  }
  return out = escaped(text);
}

void KiekerWriter::write(const traces::Trace& trace) {
  const auto& hosts = catalogue_.hosts();
  if (!begun_) {
    const traces::TracedExecution& first = trace.executions.front();
    fmt::format_to(std::back_inserter(buffer_), "$0;{};{};compmond;{};1;false;0;NANOSECONDS;1\n",
                   first.end_ns, kFormatVersion, escaped(hosts[first.host]));
    begun_ = true;
  }
  // As they end: an execution after all that it called.
  order_.resize(trace.executions.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) {
    const auto &x = trace.executions[a], &y = trace.executions[b];
    return x.end_ns != y.end_ns ? x.end_ns < y.end_ns : x.eoi > y.eoi;
  });
  for (const uint32_t at : order_) {
    const traces::TracedExecution& e = trace.executions[at];
    fmt::format_to(std::back_inserter(buffer_), "$1;{};{};{};{};{};{};{};{};{}\n", e.end_ns,
                   signature(e.operation), escaped(catalogue_.sessions()[e.session]), e.trace_id,
                   e.start_ns, e.end_ns, escaped(hosts[e.host]), e.eoi, e.ess);
  }
  if (buffer_.size() >= kFlushBytes) flush();
}

void KiekerWriter::flush() {
  if (written_) written_ = data_.append(buffer_);
  buffer_.clear();
}

Result<void> KiekerWriter::commit() {
  flush();
  if (!written_) return std::move(written_);
  if (auto synced = data_.sync(); !synced) return synced;
  if (auto published = data_.publish(); !published) return published;
  return write_file_whole(folder_ + "/kieker.map", kMap);
}

}  // namespace compmond::kieker
