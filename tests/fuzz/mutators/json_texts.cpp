// SPDX-License-Identifier: Apache-2.0
#include "json_texts.h"

#include <nlohmann/json.hpp>
#include <vector>

namespace compmond::fuzz {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kDepth = 100;  // what is deeper is cut: writing it would take much stack

void collect(Json& value, std::vector<Json*>& out) {
  out.push_back(&value);
  if (value.is_structured())
    for (Json& inner : value) collect(inner, out);
}

Json plain(Dice& dice) {
  switch (dice.below(7)) {
    case 0:
      return nullptr;
    case 1:
      return Json::object();
    case 2:
      return Json::array();
    case 3:
      return "";
    case 4:
      return true;
    case 5:
      return -1.5e300;
    default:
      return dice.number(0);
  }
}

void change_value(Json& value, Dice& dice) {
  if (value.is_number_unsigned()) {
    value = dice.number(value.get<uint64_t>());
  } else if (value.is_number_integer()) {
    value = int64_t(dice.number(uint64_t(value.get<int64_t>())));
  } else if (value.is_number()) {
    value = value.get<double>() * (double(dice.below(5)) - 2);
  } else if (value.is_string()) {
    value = mutated(value.get<std::string>(), 8);
  } else if (value.is_boolean()) {
    value = !value.get<bool>();
  } else {
    value = plain(dice);
  }
}

void change_children(Json& value, const std::vector<Json*>& all, Dice& dice) {
  const Json other = *all[dice.below(all.size())];  // a copy: it may hold the value
  const size_t at = value.empty() ? 0 : dice.below(value.size());
  if (value.is_array()) {
    if (!value.empty() && dice.one_in(3)) return void(value.erase(at));
    return void(value.insert(value.begin() + ptrdiff_t(at), other));
  }
  if (value.empty()) return;
  const std::string name = std::next(value.begin(), ptrdiff_t(at)).key();
  switch (dice.below(3)) {
    case 0:
      return void(value.erase(name));
    case 1:
      value[mutated(name, 4)] = other;
      return;
    default:
      value[name] = other;
  }
}

}  // namespace

std::string mutated_json(std::string_view text, Dice& dice) {
  const auto shallow = [](int depth, Json::parse_event_t, Json&) { return depth < kDepth; };
  Json root = Json::parse(text, shallow, false);
  if (root.is_discarded()) return {};
  for (size_t changes = 1 + dice.below(3); changes > 0; --changes) {
    std::vector<Json*> all;
    collect(root, all);
    Json& value = *all[dice.below(all.size())];
    if (value.is_structured() && !dice.one_in(8))
      change_children(value, all, dice);
    else if (dice.one_in(6))
      value = plain(dice);
    else if (dice.one_in(4))
      value = Json(*all[dice.below(all.size())]);
    else
      change_value(value, dice);
  }
  return root.dump(-1, ' ', false, Json::error_handler_t::ignore);
}

size_t mutate_json(uint8_t* data, size_t size, size_t most, unsigned seed, std::string_view sound) {
  Dice dice(seed);
  if (dice.one_in(8)) return LLVMFuzzerMutate(data, size, most);
  std::string out = mutated_json({reinterpret_cast<const char*>(data), size}, dice);
  if (out.empty()) out = sound;
  return as_input(out, data, size, most);
}

}  // namespace compmond::fuzz
