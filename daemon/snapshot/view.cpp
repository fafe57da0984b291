// SPDX-License-Identifier: Apache-2.0
#include "snapshot/view.h"

#include "snapshot/archive.h"
#include "snapshot/view_shape.h"

namespace compmond::snapshot {
namespace {

constexpr const char* kProtocol = "compmond.view/1";
constexpr const char* kNextRequest = "The protocol is described in docs/protocol.md.";
constexpr const char* kNextAnswer = "Both ends must be of the same version of compmond.";

// {"<kind>": "<name>", …members of value}
template <class T>
std::string line(const char* kind, const char* name, const T& value) {
  return written(JsonLayout::kCompact, [&](Writer& writer) {
    writer(kind, std::string(name));
    shape(writer, value);
  });
}

// The object of a line and what its key `kind` says.
Result<std::pair<Json, std::string>> parse(std::string_view text, const char* kind,
                                           const Document& document) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return fail(Exit::kData, document.what, "it is not JSON", document.next);
  if (!json.is_object())
    return fail(Exit::kData, document.what, "it is JSON, but no object", document.next);
  const auto member = json.find(kind);
  if (member == json.end() || !member->is_string())
    return fail(Exit::kData, document.what, fmt::format("its key '{}' is missing", kind),
                document.next);
  std::string name = member->get<std::string>();
  json.erase(kind);
  return std::pair(std::move(json), std::move(name));
}

template <class T>
void read(const Json& json, Document& document, std::optional<T>& out) {
  Reader reader(json, "", document);
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
  return written(JsonLayout::kCompact, [&](Writer& writer) {
    writer("answer", std::string("hello"));
    writer("protocol", std::string(kProtocol));
    shape(writer, hello);
  });
}

Result<Request> request_from_line(std::string_view text) {
  Document document{"not a request", kNextRequest, true, {}};
  const auto parsed = parse(text, "request", document);
  if (!parsed) return Unexpected(parsed.error());
  const auto& [json, name] = *parsed;
  Request out;
  if (name == "view")
    read(json, document, out.view);
  else if (name == "control")
    read(json, document, out.control);
  else if (name == "token")
    read(json, document, out.token);
  else
    return fail(Exit::kData, document.what, fmt::format("there is no request '{}'", name),
                "There are 'view', 'control' and 'token'; see docs/protocol.md.");
  if (document.error) return Unexpected(std::move(*document.error));
  return out;
}

Result<Answer> answer_from_line(std::string_view text) {
  Document document{"not an answer of compmond", kNextAnswer, false, {}};
  const auto parsed = parse(text, "answer", document);
  if (!parsed) return Unexpected(parsed.error());
  const auto& [json, name] = *parsed;
  Answer out;
  if (name == "hello") {
    if (json.value("protocol", "") != kProtocol)
      return fail(Exit::kData, document.what, fmt::format("it does not speak {}", kProtocol),
                  kNextAnswer);
    read(json, document, out.hello);
  } else if (name == "view") {
    read(json, document, out.view);
  } else if (name == "control") {
    read(json, document, out.control);
  } else if (name == "refused") {
    read(json, document, out.refusal);
  } else {
    return fail(Exit::kData, document.what, fmt::format("there is no answer '{}'", name),
                kNextAnswer);
  }
  if (document.error) return Unexpected(std::move(*document.error));
  return out;
}

}  // namespace compmond::snapshot
