// SPDX-License-Identifier: Apache-2.0
#include "archive/reader.h"
#include "archive/writer.h"
#include "snapshot/snapshot.h"
#include "snapshot/snapshot_shape.h"

namespace compmond::snapshot {
namespace {

using archive::Document;
using archive::ParsedJson;
using archive::Reader;
using archive::Writer;

constexpr const char* kNext = "Give a file that 'compmond --snapshot' wrote.";

}  // namespace

std::string to_json(const Snapshot& snapshot, JsonLayout layout) {
  return archive::written(layout, [&](Writer& writer) { shape(writer, snapshot); });
}

Result<Snapshot> from_json(std::string_view text) {
  const ParsedJson json(text);
  Document document{"not a snapshot", kNext, false, {}};
  if (auto done = archive::check_object(json, document); !done) return Unexpected(done.error());
  if (json.text("schema") != kSchema)
    return document.not_one(fmt::format("its key 'schema' is not \"{}\"", kSchema));
  Snapshot snapshot;
  Reader reader(json, document);
  shape(reader, snapshot);
  if (document.error) return Unexpected(std::move(*document.error));
  return snapshot;
}

}  // namespace compmond::snapshot
