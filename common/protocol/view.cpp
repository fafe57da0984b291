// SPDX-License-Identifier: Apache-2.0
#include "protocol/view.h"

#include "archive/reader.h"
#include "archive/writer.h"
#include "protocol/protocol.h"
#include "protocol/protocol_shape.h"
#include "protocol/view_request_shape.h"
#include "protocol/view_shape.h"

namespace compmond::snapshot {
namespace {

using archive::Document;
using archive::ParsedJson;
using archive::Reader;
using archive::Writer;

constexpr const char* kProtocol = "compmond.view/1";
constexpr const char* kNextRequest = "The protocol is described in docs/protocol.md.";
constexpr const char* kNextAnswer = "Both ends must be of the same version of compmond.";

// {"<kind>": "<name>", …members of value}
template <class T>
std::string line(const char* kind, const char* name, const T& value) {
  return archive::written(JsonLayout::kCompact, [&](Writer& writer) {
    writer(kind, std::string(name));
    shape(writer, value);
  });
}

// What the key `kind` of a line says.
Result<std::string_view> name_of(const ParsedJson& json, const char* kind,
                                 const Document& document) {
  if (auto done = archive::check_object(json, document); !done) return Unexpected(done.error());
  const auto name = json.text(kind);
  if (!name) return document.not_one(fmt::format("its key '{}' is missing", kind));
  return *name;
}

// All of a line but its key `kind`, which name_of() has read.
template <class T>
void read(const ParsedJson& json, const char* kind, Document& document, std::optional<T>& out) {
  Reader reader(json, document);
  std::string name;
  reader(kind, name);
  shape(reader, out.emplace());
  reader.finish();
}

}  // namespace

std::string to_line(const ViewRequest& request) { return line("request", "view", request); }
std::string to_line(const ControlRequest& request) { return line("request", "control", request); }
std::string to_line(const TokenRequest& request) { return line("request", "token", request); }
std::string to_line(const View& view) { return line("answer", "view", view); }
std::string to_line(const ControlAnswer& answer) { return line("answer", "control", answer); }
std::string to_line(const Refusal& refusal) { return line("answer", "refused", refusal); }
std::string to_line(const Hello& hello) {
  return archive::written(JsonLayout::kCompact, [&](Writer& writer) {
    writer("answer", std::string("hello"));
    writer("protocol", std::string(kProtocol));
    shape(writer, hello);
  });
}

Result<Request> request_from_line(std::string_view text) {
  Document document{"not a request", kNextRequest, true, {}};
  const ParsedJson json(text);
  const auto name = name_of(json, "request", document);
  if (!name) return Unexpected(name.error());
  Request out;
  if (*name == "view")
    read(json, "request", document, out.view);
  else if (*name == "control")
    read(json, "request", document, out.control);
  else if (*name == "token")
    read(json, "request", document, out.token);
  else
    return fail(Exit::kData, document.what, fmt::format("there is no request '{}'", *name),
                "There are 'view', 'control' and 'token'; see docs/protocol.md.");
  if (document.error) return Unexpected(std::move(*document.error));
  return out;
}

Result<Answer> answer_from_line(std::string_view text) {
  Document document{"not an answer of compmond", kNextAnswer, false, {}};
  const ParsedJson json(text);
  const auto name = name_of(json, "answer", document);
  if (!name) return Unexpected(name.error());
  Answer out;
  if (*name == "hello") {
    if (json.text("protocol") != kProtocol)
      return document.not_one(fmt::format("it does not speak {}", kProtocol));
    read(json, "answer", document, out.hello);
  } else if (*name == "view") {
    read(json, "answer", document, out.view);
  } else if (*name == "control") {
    read(json, "answer", document, out.control);
  } else if (*name == "refused") {
    read(json, "answer", document, out.refusal);
  } else {
    return document.not_one(fmt::format("there is no answer '{}'", *name));
  }
  if (document.error) return Unexpected(std::move(*document.error));
  return out;
}

}  // namespace compmond::snapshot
