// SPDX-License-Identifier: Apache-2.0
#include "kieker/reader.h"

#include <algorithm>
#include <charconv>

#include "kieker/record_layout.h"
#include "kieker/signature.h"

namespace compmond::kieker {
namespace {

constexpr uint64_t kLatest = uint64_t(1) << 62;  // ns since the epoch: the year 2116

// What stands for no number in logs of before 2012.
bool says_none(std::string_view text) {
  return text == "N/A" || text == "NULL" || text == "null" || text.empty();
}

// The numbers of one record, and the first of them that is none.
class Numbers {
 public:
  explicit Numbers(const KiekerRecord& record) : record_(record) {}

  int64_t integer(size_t index, const char* name) {
    if (index >= record_.fields.size()) return refuse(fmt::format("it has no {}", name));
    return number(record_.fields[index], name);
  }
  // -1 where the log says that there is none.
  int64_t integer_or_none(size_t index, const char* name) {
    if (index < record_.fields.size() && says_none(record_.fields[index])) return -1;
    return integer(index, name);
  }
  int64_t number(std::string_view text, const char* name) {
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
    const int64_t value = integer_or_none(index, name);
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

// What an event of a trace's order says. By prefix, since operations and constructors, with object
// ids and without, share their leading fields.
TraceEvent::Kind event_kind(std::string_view name) {
  using Kind = TraceEvent::Kind;
  if (name.starts_with("AfterOperationFailed") || name.starts_with("AfterConstructorFailed"))
    return Kind::kAfterFailed;
  if (name.starts_with("BeforeOperation") || name.starts_with("BeforeConstructor") ||
      name.starts_with("EntryLevelBeforeOperation"))
    return Kind::kBefore;
  if (name.starts_with("AfterOperation") || name.starts_with("AfterConstructor"))
    return Kind::kAfter;
  if (name.starts_with("CallOperation") || name.starts_with("CallConstructor")) return Kind::kCall;
  return Kind::kOther;
}

// Of Kieker 1.5 "Trace", of 1.15 and later also "ApplicationTraceMetadata".
bool is_trace_metadata(std::string_view type) {
  return type.ends_with(".TraceMetadata") || type.ends_with(".ApplicationTraceMetadata") ||
         type == "kieker.common.record.flow.trace.Trace";
}

// Older names of it are kieker.common.record.OperationExecutionRecord and
// kieker.tpmon.monitoringRecord.executions.KiekerExecutionRecord.
bool is_execution(std::string_view name) {
  return name == "OperationExecutionRecord" || name == "KiekerExecutionRecord";
}

}  // namespace

Result<std::unique_ptr<KiekerReader>> KiekerReader::open(const std::string& path,
                                                         traces::Catalogue& catalogue,
                                                         MemoryBound bound) {
  auto records = KiekerRecords::open(path);
  if (!records) return Unexpected(std::move(records.error()));
  return std::unique_ptr<KiekerReader>(new KiekerReader(std::move(*records), catalogue, bound));
}

void KiekerReader::advance() {
  constexpr uint64_t kBetweenLooks = 4096;  // at the memory: some ms, some MB
  next_ = records_.next(bad_records_);
  if (!next_ || ++advances_ % kBetweenLooks != 0 || !bound_.reached()) return;
  refuse(fmt::format("the rest of the log is not read: {} MiB of memory are used up",
                     bound_.bytes() >> 20));
  next_ = nullptr;
}

std::optional<uint64_t> KiekerReader::next_ns() {
  if (!next_) return finished_ ? std::nullopt : std::optional(logged_ns_);
  const int64_t logged = next_->logged;
  const bool known = logged >= 0 && uint64_t(logged) <= kLatest / unit_ns_;
  return std::max(logged_ns_, known ? uint64_t(logged) * unit_ns_ : 0);
}

void KiekerReader::step(traces::TracedSink& sink) {
  if (!next_) {
    if (!finished_) events_.finish(logged_ns_, sink);
    finished_ = true;
    return;
  }
  if (next_->name == "KiekerMetadataRecord") on_metadata_record(*next_);
  logged_ns_ = *next_ns();
  if (is_execution(next_->name))
    on_execution_record(*next_, sink);
  else if (is_trace_metadata(next_->type))
    on_trace_metadata(*next_, sink);
  else if (next_->name != "KiekerMetadataRecord" && !on_event_record(*next_, sink))
    count_skipped(next_->name);
  advance();
}

void KiekerReader::count_skipped(std::string_view name) {
  constexpr size_t kNames = 50;  // more types are none of Kieker's
  auto at = skipped_.find(name);
  if (at == skipped_.end() && skipped_.size() >= kNames) at = skipped_.try_emplace("others").first;
  if (at == skipped_.end()) at = skipped_.try_emplace(std::string(name.substr(0, 80))).first;
  ++at->second;
}

uint64_t KiekerReader::skipped() const {
  uint64_t out = 0;
  for (const auto& [name, count] : skipped_) out += count;
  return out;
}

std::string KiekerReader::lacks(Window) const {
  std::string out;
  for (const auto& [name, count] : skipped_)
    out += fmt::format("{}{} {}",
                       out.empty() ? "records that belong to no trace were skipped: " : ", ", count,
                       name);
  return out;
}

void KiekerReader::refuse(const std::string& why) {
  bad_records_.add(fmt::format("{}: {}", records_.where(), why));
}

uint32_t KiekerReader::signature(std::string_view text) {
  if (const auto found = signatures_.find(text); found != signatures_.end()) return found->second;
  return signatures_.emplace(std::string(text), uint32_t(signatures_.size())).first->second;
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
  constexpr std::pair<std::string_view, uint64_t> kUnits[] = {
      {"NANOSECONDS", 1},          {"MICROSECONDS", 1'000},     {"MILLISECONDS", 1'000'000},
      {"SECONDS", 1'000'000'000},  {"MINUTES", 60'000'000'000}, {"HOURS", 3'600'000'000'000},
      {"DAYS", 86'400'000'000'000}};
  const auto known = std::ranges::find(kUnits, unit, &std::pair<std::string_view, uint64_t>::first);
  unit_ns_ = known == std::end(kUnits) ? 1 : known->second;
  if (known == std::end(kUnits))
    refuse(fmt::format("its time unit is unknown, and taken to be nanoseconds: '{}'",
                       unit.substr(0, 40)));
}

void KiekerReader::on_execution_record(const KiekerRecord& record, traces::TracedSink& sink) {
  constexpr size_t kFields = 8;
  // Until 2012 the number of an experiment came first.
  const size_t first = record.fields.size() > kFields ? 1 : 0;
  Numbers in(record);
  traces::TracedExecution out;
  const std::string_view signature = in.text(first, "signature");
  const std::string_view session = in.text(first + 1, "session id");
  out.trace_id = in.integer_or_none(first + 2, "trace id");
  out.start_ns = in.time(first + 3, unit_ns_, "entry time");
  out.end_ns = in.time(first + 4, unit_ns_, "exit time");
  const std::string_view host = in.text(first + 5, "host name");
  out.eoi = in.small(first + 6, "eoi");
  out.ess = in.small(first + 7, "ess");
  if (out.end_ns < out.start_ns) in.refuse("it ends before it starts");
  if (!in.why().empty()) return refuse(in.why());
  out.operation = operation(signature, {});
  out.session = catalogue_.session(session);
  out.host = catalogue_.host(host);
  if (out.eoi < 0 || out.ess < 0)
    sink.on_unusable(out.trace_id,
                     fmt::format("its executions say neither order nor depth (eoi {}, ess {})",
                                 out.eoi, out.ess));
  sink.on_execution(out, logged_ns_);
}

void KiekerReader::on_trace_metadata(const KiekerRecord& record, traces::TracedSink& sink) {
  Numbers in(record);
  const int64_t trace_id = in.integer(0, "trace id");
  const std::string_view session = in.text(2, "session id");
  const std::string_view host = in.text(3, "host name");
  if (!in.why().empty()) return refuse(in.why());
  events_.on_metadata(trace_id, catalogue_.session(session), catalogue_.host(host), logged_ns_,
                      sink);
}

bool KiekerReader::on_event_record(const KiekerRecord& record, traces::TracedSink& sink) {
  const auto places = order_fields_of(record.type);
  if (!places) return false;
  Numbers in(record);
  TraceEvent event;
  event.kind = event_kind(record.name);
  event.time_ns = in.time(0, unit_ns_, "time");
  const int64_t trace_id = in.integer(places->trace, "trace id");
  const int64_t order = in.integer(places->order, "order index");
  if (order < 0) in.refuse("its order index is negative");
  std::string_view caller, called, class_name;
  if (event.kind != TraceEvent::Kind::kOther) {
    const bool call = event.kind == TraceEvent::Kind::kCall;
    caller = in.text(3, "operation signature");
    called = call ? in.text(5, "callee's signature") : caller;
    const size_t at = call ? 6 : 4;  // Kieker 1.5 has none
    if (at < record.fields.size()) class_name = record.fields[at];
  }
  if (!in.why().empty()) {
    refuse(in.why());
    return true;
  }
  if (event.kind != TraceEvent::Kind::kOther) {
    event.operation = operation(called, class_name);
    event.signature = signature(caller);
  }
  events_.on_event(trace_id, order, event, logged_ns_, sink);
  return true;
}

}  // namespace compmond::kieker
