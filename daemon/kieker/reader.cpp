// SPDX-License-Identifier: Apache-2.0
#include "kieker/reader.h"

#include <algorithm>
#include <charconv>

#include "kieker/signature.h"

namespace compmond::kieker {
namespace {

constexpr uint64_t kLatest = uint64_t(1) << 62;  // ns since the epoch: the year 2116

// The numbers of one record, and the first of them that is none.
class Numbers {
 public:
  explicit Numbers(const KiekerRecord& record) : record_(record) {}

  int64_t integer(size_t index, const char* name) {
    if (index >= record_.fields.size()) return refuse(fmt::format("it has no {}", name));
    const std::string_view text = record_.fields[index];
    int64_t value = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
    if (read.ec != std::errc() || read.ptr != text.data() + text.size() || text.empty())
      return refuse(fmt::format("its {} is not a number: '{}'", name, text.substr(0, 40)));
    return value;
  }
  uint64_t time(size_t index, uint64_t unit_ns, const char* name) {
    const int64_t value = integer(index, name);
    if (value >= 0 && uint64_t(value) <= kLatest / unit_ns) return uint64_t(value) * unit_ns;
    return uint64_t(refuse(fmt::format("its {} is no possible time: {}", name, value)));
  }
  int32_t small(size_t index, const char* name) {
    const int64_t value = integer(index, name);
    if (value >= INT32_MIN && value <= INT32_MAX) return int32_t(value);
    return int32_t(refuse(fmt::format("its {} is out of range: {}", name, value)));
  }
  std::string_view text(size_t index, const char* name) {
    if (index < record_.fields.size()) return record_.fields[index];
    refuse(fmt::format("it has no {}", name));
    return {};
  }
  int64_t refuse(std::string why) {
    if (why_.empty()) why_ = std::move(why);
    return 0;
  }
  const std::string& why() const { return why_; }

 private:
  const KiekerRecord& record_;
  std::string why_;
};

bool begins_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

// Which kind of event a record type is; nothing for what is none of a trace. By prefix, since
// operations and constructors, with object ids and without, share their leading fields.
std::optional<TraceEvent::Kind> event_kind(std::string_view type) {
  using Kind = TraceEvent::Kind;
  if (begins_with(type, "AfterOperationFailed") || begins_with(type, "AfterConstructorFailed"))
    return Kind::kAfterFailed;
  if (begins_with(type, "BeforeOperation") || begins_with(type, "BeforeConstructor"))
    return Kind::kBefore;
  if (begins_with(type, "AfterOperation") || begins_with(type, "AfterConstructor"))
    return Kind::kAfter;
  if (begins_with(type, "CallOperation") || begins_with(type, "CallConstructor"))
    return Kind::kCall;
  if (type == "SplitEvent" || type == "JoinEvent") return Kind::kOther;
  return std::nullopt;
}

}  // namespace

Result<std::unique_ptr<KiekerReader>> KiekerReader::open(const std::string& path,
                                                         traces::Catalogue& catalogue) {
  auto folder = KiekerFolder::open(path);
  if (!folder) return Unexpected(std::move(folder.error()));
  return std::unique_ptr<KiekerReader>(new KiekerReader(std::move(*folder), catalogue));
}

void KiekerReader::advance() { next_ = folder_.next(bad_records_); }

std::optional<uint64_t> KiekerReader::next_ns() {
  if (!next_) return finished_ ? std::nullopt : std::optional(logged_ns_);
  const uint64_t at = next_->logged_ns > kLatest / unit_ns_ ? 0 : next_->logged_ns * unit_ns_;
  return std::max(logged_ns_, at);
}

void KiekerReader::step(traces::TracedSink& sink) {
  if (!next_) {
    if (!finished_) events_.finish(logged_ns_, sink);
    finished_ = true;
    return;
  }
  logged_ns_ = *next_ns();
  if (next_->type == "OperationExecutionRecord")
    on_execution_record(*next_, sink);
  else if (next_->type == "TraceMetadata")
    on_trace_metadata(*next_);
  else if (next_->type == "KiekerMetadataRecord")
    on_metadata_record(*next_);
  else if (!on_event_record(*next_, sink))
    ++skipped_;
  advance();
}

uint32_t KiekerReader::operation(std::string_view signature, std::string_view class_name) {
  key_.assign(class_name).append(1, '\n').append(signature);
  if (const auto found = operations_.find(key_); found != operations_.end()) return found->second;
  const KiekerSignature parsed = parse_signature(signature);
  const std::string_view component = class_name.empty() ? parsed.class_name : class_name;
  const uint32_t id =
      catalogue_.operation(component, signature, parsed.short_name(), parsed.long_name());
  operations_.emplace(key_, id);
  return id;
}

void KiekerReader::on_metadata_record(const KiekerRecord& record) {
  constexpr size_t kTimeUnit = 6;
  if (record.fields.size() <= kTimeUnit) return;
  const std::string_view unit = record.fields[kTimeUnit];
  unit_ns_ = unit == "SECONDS"        ? 1'000'000'000
             : unit == "MILLISECONDS" ? 1'000'000
             : unit == "MICROSECONDS" ? 1'000
                                      : 1;
}

void KiekerReader::on_execution_record(const KiekerRecord& record, traces::TracedSink& sink) {
  Numbers in(record);
  traces::TracedExecution out;
  const std::string_view signature = in.text(0, "signature");
  const std::string_view session = in.text(1, "session id");
  out.trace_id = in.integer(2, "trace id");
  out.start_ns = in.time(3, unit_ns_, "entry time");
  out.end_ns = in.time(4, unit_ns_, "exit time");
  const std::string_view host = in.text(5, "host name");
  out.eoi = in.small(6, "eoi");
  out.ess = in.small(7, "ess");
  if (out.end_ns < out.start_ns) in.refuse("it ends before it starts");
  if (!in.why().empty()) return bad_records_.add(fmt::format("{}: {}", folder_.where(), in.why()));
  out.operation = operation(signature, {});
  out.session = catalogue_.session(session);
  out.host = catalogue_.host(host);
  sink.on_execution(out, logged_ns_);
}

void KiekerReader::on_trace_metadata(const KiekerRecord& record) {
  Numbers in(record);
  const int64_t trace_id = in.integer(0, "trace id");
  const std::string_view session = in.text(2, "session id");
  const std::string_view host = in.text(3, "host name");
  if (!in.why().empty()) return bad_records_.add(fmt::format("{}: {}", folder_.where(), in.why()));
  events_.on_metadata(trace_id, catalogue_.session(session), catalogue_.host(host));
}

bool KiekerReader::on_event_record(const KiekerRecord& record, traces::TracedSink& sink) {
  const auto kind = event_kind(record.type);
  if (!kind) return false;
  Numbers in(record);
  TraceEvent event;
  event.kind = *kind;
  event.time_ns = in.time(0, unit_ns_, "time");
  const int64_t trace_id = in.integer(1, "trace id");
  const int64_t order = in.integer(2, "order index");
  if (order < 0) in.refuse("its order index is negative");
  std::string_view signature, class_name;
  if (event.kind != TraceEvent::Kind::kOther) {
    const bool call = event.kind == TraceEvent::Kind::kCall;
    signature = in.text(call ? 5 : 3, "operation signature");
    class_name = in.text(call ? 6 : 4, "class name");
  }
  if (!in.why().empty()) {
    bad_records_.add(fmt::format("{}: {}", folder_.where(), in.why()));
    return true;
  }
  if (event.kind != TraceEvent::Kind::kOther) event.operation = operation(signature, class_name);
  events_.on_event(trace_id, order, event, logged_ns_, sink);
  return true;
}

}  // namespace compmond::kieker
