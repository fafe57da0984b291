// SPDX-License-Identifier: Apache-2.0
#include "spec/join.h"

#include "support.h"

using namespace compmond;
using namespace compmond::spec;

namespace {

Spec named(const std::string& name, const std::string& path, const std::string& members) {
  auto out =
      parse("{\"schema\":\"compmond.spec/1\",\"name\":\"" + name + "\"," + members + "}", path);
  REQUIRE(out.has_value());
  return *out;
}

const std::string kShop = R"("components":[{"name":"Web","in":["serve"]},
  {"name":"Store","image":"libstore.so","components":[{"name":"Cart","in":["put"],"out":["send"]}]}],
  "connections":[["Web","Cart"]])";
const std::string kBank = R"("components":[{"name":"Web","in":["pay"],"slo_ms":5}])";

}  // namespace

TEST_CASE("join: components of each stand below its name, in its program") {
  const auto joined =
      spec::joined({named("shop", "shop.json", kShop), named("bank", "bank.json", kBank)});
  REQUIRE(joined.has_value());
  CHECK(joined->name == "shop + bank");
  CHECK(joined->path == "shop.json + bank.json");
  std::vector<std::string> paths, images;
  for (const Component& one : joined->components) {
    paths.push_back(one.path);
    images.push_back(one.image);
  }
  CHECK(paths == std::vector<std::string>{"shop", "shop/Web", "shop/Store", "shop/Store/Cart",
                                          "bank", "bank/Web"});
  CHECK(images == std::vector<std::string>{"", "", "libstore.so", "libstore.so", "", ""});
  CHECK(joined->components[3].program == 0);
  CHECK(joined->components[4].program == 1);
  CHECK(joined->components[5].program == 1);
  REQUIRE(joined->connections.size() == 1);
  CHECK(joined->connections[0].from == 1);
  CHECK(joined->connections[0].to == 3);
  CHECK(joined->components[5].operations[0].slo_ms == 5);
}

TEST_CASE("join: places stay those of the files, and the text is a spec that says the same") {
  const auto joined =
      spec::joined({named("shop", "shop.json", kShop), named("bank", "bank.json", kBank)});
  REQUIRE(joined.has_value());
  CHECK(joined->components[0].pointer == "shop.json");
  CHECK(joined->components[3].pointer == "shop.json:/components/1/components/0");
  CHECK(joined->components[3].operations[1].pointer ==
        "shop.json:/components/1/components/0/out/0");
  CHECK(joined->components[5].operations[0].pointer == "bank.json:/components/0/in/0");
  const Spec again = test::good(joined->text);
  REQUIRE(again.components.size() == joined->components.size());
  for (size_t i = 0; i < again.components.size(); ++i) {
    CHECK(again.components[i].path == joined->components[i].path);
    CHECK(again.components[i].image == joined->components[i].image);
    CHECK(again.components[i].operations.size() == joined->components[i].operations.size());
  }
}

TEST_CASE("join: names that cannot stand beside each other are refused, with both files") {
  const auto twins = spec::joined({named("shop", "a.json", kShop), named("shop", "b.json", kBank)});
  REQUIRE_FALSE(twins.has_value());
  CHECK(twins.error().code == Exit::kData);
  CHECK(twins.error().text().find("a.json and b.json are both named 'shop'") != std::string::npos);
  const auto slash = spec::joined({named("a/b", "a.json", kShop), named("c", "b.json", kBank)});
  REQUIRE_FALSE(slash.has_value());
  CHECK(slash.error().text().find("'a/b' of a.json holds a '/'") != std::string::npos);
}

TEST_CASE("join: a name stays one, however long those of the parts are") {
  const auto joined =
      spec::joined({named(std::string(200, 'x'), "a.json", kShop), named("bank", "b.json", kBank)});
  REQUIRE(joined.has_value());
  CHECK(joined->name.ends_with(" and another"));
  CHECK(joined->name.size() <= 200);
}

TEST_CASE("join: many names are not all told") {
  std::vector<Spec> parts;
  for (int i = 0; i < 16; ++i) parts.push_back(named("part" + std::to_string(i), "p.json", kBank));
  const auto joined = spec::joined(parts);
  REQUIRE(joined.has_value());
  CHECK(joined->name == "part0 and 15 others");
  CHECK(joined->components.size() == 32);
}

TEST_CASE("join: builds are those of all") {
  const auto joined =
      spec::joined({named("shop", "a.json", kShop + R"(,"build_ids":{"shop":"ab"})"),
                    named("bank", "b.json", kBank + R"(,"build_ids":{"bank":"cd"})")});
  REQUIRE(joined.has_value());
  CHECK(joined->build_ids == std::map<std::string, std::string>{{"bank", "cd"}, {"shop", "ab"}});
}
