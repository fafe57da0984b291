// SPDX-License-Identifier: Apache-2.0
#include "kieker/records.h"

#include <charconv>

#include "core/limits.h"

namespace compmond::kieker {
namespace {

// Of logs of before 2009, whose lines name no type and no logging timestamp.
constexpr std::string_view kExecution = "kieker.common.record.controlflow.OperationExecutionRecord";
constexpr size_t kUntypedColumns = 9;

std::optional<int64_t> number(std::string_view text) {
  int64_t out = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), out);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size()) return std::nullopt;
  return out;
}

}  // namespace

Result<KiekerRecords> KiekerRecords::open(const std::string& path) {
  auto files = LogFiles::open(path);
  if (!files) return Unexpected(std::move(files.error()));
  auto map = KiekerMap::parse(files->map(), files->map_name());
  if (!map) return Unexpected(std::move(map.error()));
  return KiekerRecords(std::move(*files), std::move(*map));
}

std::string KiekerRecords::where() const {
  const size_t file = std::min(file_, files_.count() - 1);
  return fmt::format("{}{}{}", files_.shown(file), binary_ ? ", byte " : ":", place_);
}

uint64_t KiekerRecords::bytes_read() const {
  if (file_ >= files_.count()) return bytes_total();
  return std::min(bytes_total(), done_ + (input_ ? input_->packed_bytes() : 0));
}

bool KiekerRecords::open_next(traces::BadRecords& bad) {
  while (file_ < files_.count()) {
    auto source = files_.open_data(file_);
    if (source) {
      input_ = std::make_unique<Input>(std::move(*source));
      place_ = 0;
      // Packed files say nothing in their names; a binary log begins with a small number.
      const auto first = input_->peek();
      const bool text = files_.name(file_).ends_with(".dat");
      binary_ = files_.name(file_).ends_with(".bin") || (!text && first == uint8_t(0));
      return true;
    }
    bad.add(fmt::format("{}: {}", files_.shown(file_), source.error().why));
    ++file_;
  }
  return false;
}

void KiekerRecords::leave_file() {
  done_ += input_->packed_bytes();
  input_.reset();
  ++file_;
}

const KiekerRecord* KiekerRecords::next(traces::BadRecords& bad) {
  for (const std::string& doubt : map_.take_doubts()) bad.add(doubt);
  for (;;) {
    if (!input_ && !open_next(bad)) return nullptr;
    found_ = false;
    const auto more = input_->peek();
    if (more && binary_)
      read_binary(bad);
    else if (more)
      read_text(bad);
    if (found_) return &record_;
    if (auto error = input_->take_error())
      bad.add(fmt::format("{}: {}", files_.shown(file_), error->why));
    if (!more) leave_file();
  }
}

void KiekerRecords::read_text(traces::BadRecords& bad) {
  bool cut = false;
  if (!input_->line(line_, limits::kLogLineBytes, cut)) return;
  ++place_;
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  if (cut)
    bad.add(fmt::format("{}: the line is longer than {} bytes", where(), limits::kLogLineBytes));
  else if (!line_.empty())
    found_ = take_line_apart(bad);
}

bool KiekerRecords::take_line_apart(traces::BadRecords& bad) {
  record_.fields.clear();
  char* const text = line_.data();
  for (size_t at = 0; at <= line_.size();) {
    size_t end = at;
    bool escaped = false;
    while (end < line_.size() && line_[end] != ';') {
      if (line_[end] == '\\' && end + 1 < line_.size()) {
        escaped = true;
        ++end;
      }
      ++end;
    }
    record_.fields.emplace_back(text + at, escaped ? unescape(text + at, end - at) : end - at);
    at = end + 1;
  }
  const std::string_view type = record_.fields.front();
  if (!type.starts_with('$')) {
    if (take_untyped(type)) return true;
    bad.add(fmt::format("{}: it does not begin with a record type such as $1", where()));
    return false;
  }
  const auto id = number(type.substr(1));
  const std::string* const known = id ? map_.find(*id) : nullptr;
  if (!known) {
    bad.add(fmt::format("{}: kieker.map does not name the record type {}", where(),
                        type.substr(0, 20)));
    return false;
  }
  const auto logged = record_.fields.size() > 1 ? number(record_.fields[1]) : std::nullopt;
  if (!logged) {
    bad.add(fmt::format("{}: its logging timestamp is not a number", where()));
    return false;
  }
  record_.type = *known;
  record_.name = simple_name(*known);
  record_.logged = *logged;
  record_.fields.erase(record_.fields.begin(), record_.fields.begin() + 2);
  return true;
}

bool KiekerRecords::take_untyped(std::string_view first) {
  if (record_.fields.size() != kUntypedColumns || !number(first)) return false;
  record_.type = kExecution;
  record_.name = simple_name(kExecution);
  record_.logged = -1;
  return true;
}

}  // namespace compmond::kieker
