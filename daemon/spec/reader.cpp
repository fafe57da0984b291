// SPDX-License-Identifier: Apache-2.0
#include "spec/reader.h"

#include <array>
#include <map>

#include "spec/connections.h"
#include "text/clean.h"
#include "text/match.h"

namespace compmond::spec {
namespace {

using Kind = Node::Kind;

constexpr const char* kSchema = "compmond.spec/1";
constexpr std::array<std::string_view, 8> kTopKeys{"schema",      "name",           "components",
                                                   "connections", "allow_patching", "note",
                                                   "build_ids",   "$schema"};
constexpr std::array<std::string_view, 13> kComponentKeys{
    "name",   "color",    "image",   "in",   "out",        "exit", "engine",
    "slo_ms", "landmark", "waiting", "kind", "components", "note"};
constexpr size_t kNoteBytes = 4096;
constexpr std::array<std::string_view, 11> kOperationKeys{
    "symbol",   "name",    "optional", "exit",       "engine", "slo_ms",
    "landmark", "waiting", "trace_id", "session_id", "handoff"};

// The file's name without folders and ".json".
std::string name_from(std::string_view path) {
  std::string_view name = text::leaf(path);
  if (name.size() > 5 && name.ends_with(".json")) name.remove_suffix(5);
  return text::printable(name, kShownNameBytes);
}

// A list of the wrong kind passes: it gets its own message.
bool observes_something(const Node& component) {
  for (const char* key : {"in", "out", "components"}) {
    const Node* list = component.find(key);
    if (list && (list->kind != Kind::kArray || !list->children.empty())) return true;
  }
  return false;
}

}  // namespace

Result<Spec> SpecReader::read(const Node& root) {
  if (!read_top(root)) return Unexpected(std::move(*error_));
  return std::move(spec_);
}

bool SpecReader::read_top(const Node& root) {
  if (!expect(root, "", Kind::kObject, "an object") || !read_schema(root) ||
      !known_keys(root, "", kTopKeys))
    return false;
  spec_.path = path_;
  spec_.name = name_from(path_);
  if (const Node* hint = root.find("$schema"))
    if (!expect(*hint, "/$schema", Kind::kString, "a string")) return false;
  if (const Node* name = root.find("name"))
    if (!text(*name, "/name", "the spec's name", kShownNameBytes, spec_.name)) return false;
  if (const Node* allowed = root.find("allow_patching"))
    if (!truth(*allowed, "/allow_patching", spec_.allow_patching)) return false;
  if (const Node* note = root.find("note"); note && !is_note(*note, "/note")) return false;
  if (const Node* ids = root.find("build_ids"); ids && !read_build_ids(*ids, "/build_ids"))
    return false;
  const Node* components = root.find("components");
  if (!components || (components->kind == Kind::kArray && components->children.empty()))
    return refuse(
        components ? *components : root, components ? "/components" : "", "there are no components",
        "Add \"components\": [{\"name\": …, \"in\": [symbol, …]}]; docs/spec.md has examples.");
  if (!read_components(*components, "/components", -1)) return false;
  const Node* connections = root.find("connections");
  return !connections || read_connections(*connections, "/connections");
}

// For people alone.
bool SpecReader::is_note(const Node& node, const std::string& pointer) {
  std::string ignored;
  return text(node, pointer, "a note", kNoteBytes, ignored);
}

bool SpecReader::read_build_ids(const Node& ids, const std::string& pointer) {
  if (!expect(ids, pointer, Kind::kObject, "an object with a build id for each file name"))
    return false;
  for (const Node& member : ids.children) {
    const std::string at = pointer + "/" + member.key;
    std::string& id = spec_.build_ids[member.key];
    if (!text(member, at, "a build id", kShownNameBytes, id)) return false;
    if (id.find_first_not_of("0123456789abcdef") != std::string::npos)
      return refuse(member, at, fmt::format("{} is no build id", text::in_quotes(id)),
                    "Write the hexadecimal digits that `file -L FILE` shows as BuildID.");
  }
  return true;
}

bool SpecReader::read_schema(const Node& root) {
  const std::string next = fmt::format("Write \"schema\": \"{}\".", kSchema);
  const Node* schema = root.find("schema");
  if (!schema) return refuse(root, "", "the key 'schema' is missing", next);
  if (!expect(*schema, "/schema", Kind::kString, "a string")) return false;
  if (schema->text == kSchema) return true;
  return refuse(
      *schema, "/schema",
      fmt::format("{} is not a schema that this version reads", text::in_quotes(schema->text)),
      next);
}

bool SpecReader::read_components(const Node& list, const std::string& pointer, int parent) {
  if (!expect(list, pointer, Kind::kArray, "a list of components")) return false;
  std::map<std::string_view, size_t> first;  // name -> position among the siblings
  for (size_t i = 0; i < list.children.size(); ++i) {
    const Node& node = list.children[i];
    const std::string at = fmt::format("{}/{}", pointer, i);
    if (!expect(node, at, Kind::kObject, "a component (an object)")) return false;
    if (const Node* name = node.find("name"); name && name->kind == Kind::kString) {
      const auto [seen, fresh] = first.emplace(name->text, i);
      if (!fresh)
        return refuse(*name, at + "/name",
                      fmt::format("the name {} is already taken by {}/{}",
                                  text::in_quotes(name->text), pointer, seen->second),
                      "Give siblings different names.");
    }
    if (!read_component(node, at, parent)) return false;
  }
  return true;
}

bool SpecReader::read_component(const Node& node, const std::string& pointer, int parent) {
  if (!known_keys(node, pointer, kComponentKeys)) return false;
  const Node* name = node.find("name");
  if (!name) return refuse(node, pointer, "the component has no name", "Add \"name\": \"…\".");
  Component component;
  component.pointer = pointer;
  component.parent = parent;
  if (!text(*name, pointer + "/name", "a component's name", kShownNameBytes, component.name))
    return false;
  if (component.name.find('/') != std::string::npos)
    return refuse(
        *name, pointer + "/name", fmt::format("{} holds a '/'", text::in_quotes(component.name)),
        "Nest components with the key \"components\"; '/' separates the names of a path.");
  component.path = component.name;
  if (parent >= 0) {
    const Component& above = spec_.components[size_t(parent)];
    component.path = above.path + "/" + component.name;
    component.image = above.image;
    component.exit = above.exit;
    component.engine = above.engine;
  }
  for (const Node& member : node.children)
    if (!read_value(member, pointer + "/" + member.key, component)) return false;
  if (!observes_something(node))
    return refuse(node, pointer,
                  fmt::format("the component {} observes nothing", text::in_quotes(component.name)),
                  "Give it symbols in \"in\" or \"out\", or \"components\" of its own.");
  // Operations take what the component says, so they come after its values.
  for (Interface interface : {Interface::kIn, Interface::kOut}) {
    const Node* list = node.find(to_text(interface));
    if (list && !read_operations(*list, pointer + "/" + to_text(interface), interface, component))
      return false;
  }
  spec_.components.push_back(std::move(component));
  const Node* inner = node.find("components");
  return !inner ||
         read_components(*inner, pointer + "/components", int(spec_.components.size()) - 1);
}

bool SpecReader::read_value(const Node& member, const std::string& pointer, Component& component) {
  if (member.key == "note") return is_note(member, pointer);
  if (member.key == "color") return colour(member, pointer, component.color);
  if (member.key == "image")
    return text(member, pointer, "an image", limits::kNameBytes, component.image);
  if (member.key == "exit") return exit_mode(member, pointer, component.exit);
  if (member.key == "engine") return read_engine(member, pointer, component.engine);
  if (member.key == "slo_ms") return slo(member, pointer, component.slo_ms);
  if (member.key == "landmark") return truth(member, pointer, component.landmark);
  if (member.key == "waiting") return truth(member, pointer, component.waiting);
  if (member.key == "kind") return text(member, pointer, "a kind", kShownNameBytes, component.kind);
  return true;
}

// "auto": the one that is best, whatever the parent says.
bool SpecReader::read_engine(const Node& node, const std::string& pointer, std::string& out) {
  if (!text(node, pointer, "an engine's name", kShownNameBytes, out)) return false;
  if (out == "auto") out.clear();
  return true;
}

bool SpecReader::read_operations(const Node& list, const std::string& pointer, Interface interface,
                                 Component& component) {
  if (!expect(list, pointer, Kind::kArray, "a list of symbol patterns")) return false;
  for (size_t i = 0; i < list.children.size(); ++i) {
    Operation operation;
    operation.interface = interface;
    operation.exit = component.exit;
    operation.engine = component.engine;
    operation.slo_ms = component.slo_ms;
    operation.landmark = component.landmark;
    operation.waiting = component.waiting;
    operation.pointer = fmt::format("{}/{}", pointer, i);
    if (!read_operation(list.children[i], operation.pointer, operation)) return false;
    component.operations.push_back(std::move(operation));
  }
  return true;
}

bool SpecReader::read_operation(const Node& node, const std::string& pointer,
                                Operation& operation) {
  if (node.kind == Kind::kString) return symbol(node, pointer, operation.symbol);
  if (!expect(node, pointer, Kind::kObject,
              "a symbol pattern (a string or an object with \"symbol\")") ||
      !known_keys(node, pointer, kOperationKeys))
    return false;
  if (!node.find("symbol"))
    return refuse(node, pointer, "the operation has no symbol", "Add \"symbol\": \"…\".");
  for (const Node& member : node.children) {
    const std::string at = pointer + "/" + member.key;
    const bool good = member.key == "symbol" ? symbol(member, at, operation.symbol)
                      : member.key == "name"
                          ? text(member, at, "an operation's name", kShownNameBytes, operation.name)
                      : member.key == "optional" ? truth(member, at, operation.optional)
                      : member.key == "exit"     ? exit_mode(member, at, operation.exit)
                      : member.key == "engine"   ? read_engine(member, at, operation.engine)
                      : member.key == "slo_ms"   ? slo(member, at, operation.slo_ms)
                      : member.key == "landmark" ? truth(member, at, operation.landmark)
                      : member.key == "waiting"  ? truth(member, at, operation.waiting)
                                                 : read_context(member, at, operation);
    if (!good) return false;
  }
  return true;
}

bool SpecReader::read_context(const Node& member, const std::string& pointer,
                              Operation& operation) {
  Context context;
  context.kind = member.key == "trace_id" ? ContextKind::kTraceId : ContextKind::kSessionId;
  if (!(member.key == "handoff" ? handoff(member, pointer, context)
                                : id_argument(member, pointer, context)))
    return false;
  operation.contexts.push_back(context);
  return true;
}

bool SpecReader::read_connections(const Node& list, const std::string& pointer) {
  if (!expect(list, pointer, Kind::kArray, "a list of connections")) return false;
  Connections connections(spec_);
  for (size_t i = 0; i < list.children.size(); ++i) {
    const Node& pair = list.children[i];
    const std::string at = fmt::format("{}/{}", pointer, i);
    if (!expect(pair, at, Kind::kArray, "a pair [from, to]")) return false;
    if (pair.children.size() != 2)
      return refuse(pair, at,
                    fmt::format("a connection has two ends, found {}", pair.children.size()),
                    "Write [\"From\", \"To\"].");
    int ends[2] = {};
    for (size_t k = 0; k < 2; ++k) {
      const Node& end = pair.children[k];
      const std::string end_at = fmt::format("{}/{}", at, k);
      if (!expect(end, end_at, Kind::kString, "a component's name or path")) return false;
      const auto found = connections.resolve(end.text);
      if (!found) return refuse(end, end_at, found.error().why, found.error().next);
      ends[k] = *found;
    }
    if (ends[0] == ends[1])
      return refuse(pair, at, "a component is connected to itself",
                    "Remove it: a component's own calls are no edges.");
    if (!connections.add(ends[0], ends[1]))
      return refuse(pair, at, "the connection is given twice", "Keep one of them.");
    spec_.connections.push_back({ends[0], ends[1]});
  }
  return true;
}

}  // namespace compmond::spec
