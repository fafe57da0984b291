// SPDX-License-Identifier: Apache-2.0
#include "log_format/header.h"

#include "archive/reader.h"
#include "archive/writer.h"
#include "core/limits.h"
#include "log_format/header_shape.h"

namespace compmond::recording {
namespace {

using archive::ParsedJson;

constexpr const char* kWhat = "not a monitoring log";
constexpr const char* kNext = "Give a file that 'compmond --record' wrote.";

template <class T>
std::string write(const T& value) {
  return archive::written(JsonLayout::kCompact,
                          [&](archive::Writer& writer) { shape(writer, value); });
}

template <class T>
Result<T> read(std::string_view text) {
  const ParsedJson json(text);
  if (!json.is_object()) return fail(Exit::kData, kWhat, "no JSON object where one belongs", kNext);
  T out;
  archive::Document document{kWhat, kNext, false, {}};
  archive::Reader reader(json, document);
  shape(reader, out);
  if (document.error) return Unexpected(std::move(*document.error));
  return out;
}

Unexpected out_of_range(const char* key) {
  return fail(Exit::kData, kWhat, fmt::format("an index under '{}' is out of range", key), kNext);
}

bool indexes(int index, size_t count) { return index >= 0 && size_t(index) < count; }

Result<void> check(const State& state, const Header& header) {
  for (const State::Change& change : state.changes)
    if (change.op >= header.operations.size() ||
        change.way > header.operations[change.op].next_ways.size())
      return out_of_range("changes");
  for (const uint32_t op : state.too_hot.value_or(std::vector<uint32_t>()))
    if (op >= header.operations.size()) return out_of_range("too_hot");
  return {};
}

// What counts them relies on there being no more.
Result<void> check_number(const char* key, size_t count) {
  if (count <= limits::kOperationsMany) return {};
  return fail(
      Exit::kData, "the log asks for too much",
      fmt::format("it has {} {}, and {} can be told apart", count, key, limits::kOperationsMany),
      "Record or keep less in one log.");
}

Result<void> check(const Header& header) {
  const size_t n = header.components.size();
  if (auto fine = check_number("components", n); !fine) return fine;
  if (auto fine = check_number("operations", header.operations.size()); !fine) return fine;
  for (size_t i = 0; i < n; ++i)
    if (header.components[i].parent < -1 || header.components[i].parent >= int(i))
      return out_of_range("components");
  for (const Connection& connection : header.connections)
    if (!indexes(connection.from, n) || !indexes(connection.to, n))
      return out_of_range("connections");
  for (const Operation& operation : header.operations)
    if (!indexes(operation.component, n)) return out_of_range("operations");
  return check(header.state, header);
}

}  // namespace

std::string to_json(const Header& header) { return write(header); }
std::string to_json(const State& state) { return write(state); }

Result<Header> header_from_json(std::string_view text) {
  // First of all: a later version may differ in everything else.
  if (ParsedJson(text).text("schema") != kSchema)
    return fail(Exit::kData, kWhat, fmt::format("its key 'schema' is not \"{}\"", kSchema), kNext);
  auto out = read<Header>(text);
  if (!out) return out;
  if (auto checked = check(*out); !checked) return Unexpected(std::move(checked.error()));
  return out;
}

Result<State> state_from_json(std::string_view text, const Header& header) {
  auto out = read<State>(text);
  if (!out) return out;
  if (auto checked = check(*out, header); !checked) return Unexpected(std::move(checked.error()));
  return out;
}

}  // namespace compmond::recording
