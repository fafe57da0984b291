// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <iterator>

#include "core/limits.h"
#include "kieker/record_layout.h"
#include "kieker/records.h"

namespace compmond::kieker {
namespace {

// Reads one record's fields as text, since what they mean is told once, for both forms.
class BinaryFields {
 public:
  BinaryFields(Input& in, const KiekerMap& map, std::string& out) : in_(in), map_(map), out_(out) {
    out_.clear();
  }

  // False where the file ends before, or the record is larger than a line may be.
  bool take(char type) {
    switch (type) {
      case 'l':
        return put(in_.number<int64_t>());
      case 'i':
        return put(in_.number<int32_t>());
      case 'd':
        return put(in_.number<double>());
      case 'b':
        return put(in_.number<uint8_t>());
      case 's':
        return text();
      default:
        return list();
    }
  }
  void hand_over(std::vector<std::string_view>& fields) const {
    fields.clear();
    size_t from = 0;
    for (const size_t end : ends_) {
      fields.emplace_back(out_.data() + from, end - from);
      from = end;
    }
  }
  std::optional<int32_t> unknown_text;  // the first number of a text that the map does not name

 private:
  template <class Number>
  bool put(std::optional<Number> value) {
    if (!value || out_.size() > limits::kLogLineBytes) return false;
    fmt::format_to(std::back_inserter(out_), "{}", *value);
    ends_.push_back(out_.size());
    return true;
  }
  bool text() {
    const auto id = in_.number<int32_t>();
    if (!id || out_.size() > limits::kLogLineBytes) return false;
    if (const std::string* known = map_.find(*id))
      out_ += *known;
    else if (!unknown_text)
      unknown_text = *id;
    ends_.push_back(out_.size());
    return true;
  }
  bool list() {
    const auto count = in_.number<int32_t>();
    if (!put(count)) return false;
    for (int32_t i = 0; i < *count; ++i)
      if (!text()) return false;
    return true;
  }

  Input& in_;
  const KiekerMap& map_;
  std::string& out_;
  std::vector<size_t> ends_;
};

}  // namespace

void KiekerRecords::read_binary(traces::BadRecords& bad) {
  place_ = input_->position();
  const auto id = input_->number<int32_t>();
  const auto logged = input_->number<int64_t>();
  if (!id || !logged) {
    bad.add(fmt::format("{}: the file ends within a record", where()));
    return;
  }
  const std::string* const known = map_.find(*id);
  const auto layout = known ? layout_of(simple_name(*known)) : std::nullopt;
  if (!layout) {
    bad.add(known ? fmt::format("{}: the length of a {} is not known: what follows in this file is "
                                "not read",
                                where(), simple_name(*known).substr(0, 80))
                  : fmt::format("{}: kieker.map does not name the record type {}: what follows in "
                                "this file is not read",
                                where(), *id));
    leave_rest();
    return;
  }
  record_.type = *known;
  record_.name = simple_name(*known);
  record_.logged = *logged;
  found_ = take_fields(*layout, bad);
}

bool KiekerRecords::take_fields(std::string_view layout, traces::BadRecords& bad) {
  BinaryFields fields(*input_, map_, line_);
  for (const char type : layout) {
    if (fields.take(type)) continue;
    bad.add(fmt::format("{}: the file ends within a record, or the record is larger than {} bytes",
                        where(), limits::kLogLineBytes));
    leave_rest();
    return false;
  }
  if (fields.unknown_text) {
    bad.add(fmt::format("{}: kieker.map does not name its text {}", where(), *fields.unknown_text));
    return false;
  }
  fields.hand_over(record_.fields);
  return true;
}

}  // namespace compmond::kieker
