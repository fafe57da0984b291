// SPDX-License-Identifier: Apache-2.0
#include "ui/model/settings.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/safe_file.h"
#include "text/match.h"

namespace compmond::ui {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "compmond.window/1";
constexpr size_t kFileBytes = 4u << 20;  // thousands of components with names of their own

bool inside_any(std::string_view path, const std::set<std::string>& all) {
  return std::any_of(all.begin(), all.end(),
                     [&](const auto& at) { return text::inside(path, at); });
}

// Reads a member where it has the wanted type; anything else leaves the default.
template <class T>
void read(const Json& json, const char* key, T& value) {
  const auto member = json.find(key);
  if (member == json.end()) return;
  const bool fits = std::is_same_v<T, bool>          ? member->is_boolean()
                    : std::is_same_v<T, std::string> ? member->is_string()
                    : std::is_floating_point_v<T>    ? member->is_number()
                                                     : member->is_number_unsigned();
  if (fits) value = member->get<T>();
}

void read_names(const Json& json, const char* key, std::set<std::string>& names) {
  const auto member = json.find(key);
  if (member == json.end() || !member->is_array()) return;
  for (const Json& name : *member)
    if (name.is_string()) names.insert(name.get<std::string>());
}

template <class T, class Accept>
void read_map(const Json& json, const char* key, std::map<std::string, T>& map, Accept accept) {
  const auto member = json.find(key);
  if (member == json.end() || !member->is_object()) return;
  for (const auto& [name, value] : member->items())
    if (accept(value)) map[name] = value.template get<T>();
}

void read_boxes(const Json& json, std::map<std::string, Point>& boxes) {
  const auto member = json.find("boxes");
  if (member == json.end() || !member->is_object()) return;
  for (const auto& [name, at] : member->items())
    if (at.is_array() && at.size() == 2 && at[0].is_number() && at[1].is_number())
      boxes[name] = {at[0].get<float>(), at[1].get<float>()};
}

Settings from(const Json& json) {
  Settings out;
  std::string view;
  read(json, "view", view);
  out.view = view_named(view).value_or(out.view);
  read(json, "metric", out.metric);
  std::string scale;
  read(json, "heat_scale", scale);
  out.heat.scale = from_text<HeatScale>(scale).value_or(HeatScale::kWindow);
  read(json, "heat_floor_pct", out.heat.floor_pct);
  out.heat.floor_pct = std::clamp(out.heat.floor_pct, 0.0, 100.0);
  std::string hue;
  read(json, "hue", hue);
  out.hue = from_text<Hue>(hue).value_or(out.hue);
  read(json, "free_rgb", out.free_rgb);
  uint32_t steps = uint32_t(out.steps);
  read(json, "steps", steps);
  out.steps = int(std::clamp(steps, 2u, 255u));
  read(json, "dark", out.dark);
  read(json, "window_s", out.window_s);
  out.window_s = std::clamp(out.window_s, 1e-6, 1e6);
  read_names(json, "hidden", out.hidden);
  read_names(json, "isolated", out.isolated);
  read_map(json, "colours", out.colours, [](const Json& v) { return v.is_number_unsigned(); });
  read_map(json, "options", out.options, [](const Json& v) { return v.is_number(); });
  read_boxes(json, out.boxes);
  std::set<std::string> components, operations;
  read_names(json, "filter_components", components);
  read_names(json, "filter_operations", operations);
  out.filter.components.assign(components.begin(), components.end());
  out.filter.operations.assign(operations.begin(), operations.end());
  read(json, "filter_min_duration_ns", out.filter.min_duration_ns);
  return out;
}

Json to(const Settings& settings) {
  Json boxes = Json::object();
  for (const auto& [name, at] : settings.boxes) boxes[name] = {at.x, at.y};
  return {{"schema", kSchema},
          {"view", to_text(settings.view)},
          {"metric", settings.metric},
          {"heat_scale", settings.heat.scale.text()},
          {"heat_floor_pct", settings.heat.floor_pct},
          {"hue", to_text(settings.hue)},
          {"free_rgb", settings.free_rgb},
          {"steps", settings.steps},
          {"dark", settings.dark},
          {"window_s", settings.window_s},
          {"hidden", settings.hidden},
          {"isolated", settings.isolated},
          {"colours", Json(settings.colours)},
          {"boxes", std::move(boxes)},
          {"options", Json(settings.options)},
          {"filter_components", settings.filter.components},
          {"filter_operations", settings.filter.operations},
          {"filter_min_duration_ns", settings.filter.min_duration_ns}};
}

// mkdir -p of the folder of `path`, for this user alone.
void make_folder(const std::string& path) {
  for (size_t slash = path.find('/', 1); slash != std::string::npos;
       slash = path.find('/', slash + 1))
    ::mkdir(path.substr(0, slash).c_str(), 0700);  // a failure shows when the file is written
}

}  // namespace

double Settings::option(const std::string& key, double otherwise) const {
  const auto found = options.find(key);
  return found == options.end() ? otherwise : found->second;
}

bool Settings::shows(std::string_view path) const {
  return !inside_any(path, hidden) && (isolated.empty() || inside_any(path, isolated));
}

Settings to_remember(const Settings& now, const Settings& before, Overrides& overrides) {
  Settings out = now;
  if (overrides.view && *overrides.view != now.view) overrides.view.reset();
  if (overrides.view) out.view = before.view;
  if (overrides.dark && *overrides.dark != now.dark) overrides.dark.reset();
  if (overrides.dark) out.dark = before.dark;
  return out;
}

std::string settings_path(std::string_view spec_name) {
  std::string folder;
  if (const char* xdg = std::getenv("XDG_CONFIG_HOME"); xdg && xdg[0] == '/')
    folder = xdg;
  else if (const char* home = std::getenv("HOME"); home && home[0] == '/')
    folder = std::string(home) + "/.config";
  else
    return {};
  std::string file;
  uint32_t hash = 2166136261u;  // FNV-1a, so that "a b" and "a_b" stay apart
  for (const char c : spec_name) {
    hash = (hash ^ uint8_t(c)) * 16777619u;
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                       c == '-' || c == '_';
    if (file.size() < 80) file += plain ? c : '_';
  }
  if (file != spec_name) file += fmt::format("-{:08x}", hash);
  return folder + "/compmond/" + file + ".json";
}

Result<Settings> load_settings(const std::string& path) {
  if (::access(path.c_str(), F_OK) != 0) return Settings{};
  auto text = read_file(path, kFileBytes);
  if (!text) return Unexpected(std::move(text.error()));
  const Json json = Json::parse(*text, nullptr, false);
  if (!json.is_object() || json.value("schema", Json()) != kSchema)
    return fail(Exit::kData, fmt::format("cannot read the window's settings {}", path),
                "it is not a file of compmond-ui",
                "Remove it to start with the defaults and have them kept again.");
  return from(json);
}

Result<void> save_settings(const std::string& path, const Settings& settings) {
  make_folder(path);
  return write_file_whole(path,
                          to(settings).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace compmond::ui
