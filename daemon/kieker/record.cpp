// SPDX-License-Identifier: Apache-2.0
#include "kieker/record.h"

#include <algorithm>
#include <charconv>

namespace compmond::kieker {
namespace {

constexpr size_t kDoubtsMost = 1000;

}  // namespace

std::string_view simple_name(std::string_view class_name) {
  return class_name.substr(class_name.rfind('.') + 1);
}

size_t unescape(char* text, size_t size) {
  size_t out = 0;
  for (size_t i = 0; i < size; ++i) {
    char c = text[i];
    if (c == '\\' && i + 1 < size) {
      const char n = text[i + 1];
      const char meant = n == ';' || n == '\\' ? n : n == 'n' ? '\n' : n == 'r' ? '\r' : '\0';
      if (meant != '\0') {
        c = meant;
        ++i;
      }
    }
    text[out++] = c;
  }
  return out;
}

Result<KiekerMap> KiekerMap::parse(std::string_view text, const std::string& what) {
  KiekerMap out;
  size_t number = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const size_t equals = line.find('=');
    std::string_view key = line.substr(0, equals);
    if (key.starts_with('$')) key.remove_prefix(1);
    int64_t id = 0;
    const auto read = std::from_chars(key.data(), key.data() + key.size(), id);
    if (equals == std::string_view::npos || read.ec != std::errc() ||
        read.ptr != key.data() + key.size())
      return fail(Exit::kData, fmt::format("cannot read '{}'", what),
                  fmt::format("line {} is not of the form $n=class", number),
                  "Name the folder that holds kieker.map and the .dat or .bin files.");
    std::string value(line.substr(equals + 1));
    value.resize(unescape(value.data(), value.size()));
    std::string& text_of = out.texts_[id];
    if (!text_of.empty() && text_of != value && out.doubts_.size() < kDoubtsMost)
      out.doubts_.push_back(fmt::format("{}:{}: ${} was '{}' before", what, number, id, text_of));
    text_of = std::move(value);
  }
  return out;
}

}  // namespace compmond::kieker
