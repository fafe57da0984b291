// SPDX-License-Identifier: Apache-2.0
#include "suggest/draft_text.h"

#include <doctest/doctest.h>

#include "spec/parse.h"

namespace compmond::suggest {
namespace {

Draft shop() {
  Draft out;
  out.name = "shop";
  out.evidence.seconds = 5;
  out.evidence.samples = 1234;
  out.counted_s = 5;
  out.named_share = 0.9;
  out.build_ids = {{"shop", "ab12"}, {"libcart.so", "cd34"}};
  DraftComponent db{.name = "db", .image = "", .operations = {}, .cpu_share = 0.6, .functions = 12};
  db.operations = {
      {.pattern = "db_read", .cpu_share = 0.6, .calls_per_s = 41.7, .landmark = true},
      {.pattern = "db_write", .calls_per_s = 0},
      {.pattern = "db_seek", .calls_per_s = 2000, .rate_at_least = true, .too_hot = true}};
  DraftComponent cart{
      .name = "Cart", .image = "libcart.so", .operations = {{.pattern = "Cart::add"}}};
  cart.functions = 1;
  out.components = {db, cart};
  return out;
}

spec::Spec parsed(const Draft& draft) {
  const auto spec = spec::parse(spec_text(draft), "draft.json");
  REQUIRE_MESSAGE(spec.has_value(), (spec ? "" : spec.error().text()));
  return *spec;
}

}  // namespace

TEST_CASE("draft text: a draft is a spec") {
  const spec::Spec spec = parsed(shop());
  CHECK(spec.name == "shop");
  REQUIRE(spec.components.size() == 2);
  CHECK(spec.components[0].path == "db");
  CHECK(spec.components[1].image == "libcart.so");
  CHECK(spec.build_ids.at("libcart.so") == "cd34");
  CHECK(spec_text(shop()).ends_with("}\n"));
}

TEST_CASE("draft text: one of names with any bytes and of any length is a spec") {
  Draft draft = shop();
  const std::string odd = "a\"b\\c\x01\xff\xe2\x80\xa8" + std::string(3000, 'x');
  draft.unseen.assign(10, odd);
  for (int i = 0; i < 20; ++i)
    draft.components[0].operations.push_back(
        {.pattern = std::string(900, 'y') + std::to_string(i), .calls_per_s = 1});
  parsed(draft);
  CHECK(note_of(draft, draft.components[0]).size() <= 4096);
}

TEST_CASE("draft text: a note tells the share, the functions and the calls") {
  const Draft draft = shop();
  CHECK(note_of(draft, draft.components[0]) ==
        "60 % of the time on CPU and 0 % of the waiting are its own, with what it calls 60 % on "
        "CPU; 12 functions by name; "
        "db_read 41/s, db_write not called in 5 s, db_seek ≥2,000/s; db_seek too often for the "
        "default budget to see each call");
}

TEST_CASE("draft text: without samples a note tells no share, uncounted no calls") {
  Draft draft = shop();
  draft.evidence = {};
  draft.counted_s = 0;
  CHECK(note_of(draft, draft.components[1]) == "1 function by name");
  CHECK(spec_text(draft).find("from names and calls in the code alone") != std::string::npos);
}

TEST_CASE("draft text: the overview numbers components and marks operations") {
  Draft draft = shop();
  draft.unseen = {"the moon"};
  CHECK(overview(draft) ==
        "shop: from names, calls in the code and 1,234 samples in 5 s, 90 % of those on CPU with a "
        "function of this spec on their stacks\n"
        "   1  db: 60 % of CPU (60 % with what it calls), 0 % of waiting\n"
        "      db_read 41/s (landmark), db_write not called in 5 s, db_seek ≥2,000/s !\n"
        "   2  Cart in libcart.so: 0 % of CPU (0 % with what it calls), 0 % of waiting\n"
        "      Cart::add\n"
        "  ! too often for the default overhead budget to see each call\n"
        "  not seen: the moon\n");
}

}  // namespace compmond::suggest
