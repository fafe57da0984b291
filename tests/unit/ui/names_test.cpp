// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "ui/model/model.h"

using namespace compmond;
using namespace compmond::ui;

TEST_CASE("names: a component is called by as much of its path as no other one has") {
  snapshot::View view;
  view.snapshot.emplace();
  for (const char* path : {"shop", "shop/Requests", "shop/Wire", "bank", "bank/Requests",
                           "bank/Requests/Wire", "Wire"})
    view.snapshot->components.emplace_back().name = path;
  Model model;
  take(model, std::move(view));
  CHECK(model.name_of("shop") == "shop");
  CHECK(model.name_of("shop/Requests") == "shop/Requests");
  CHECK(model.name_of("bank/Requests") == "bank/Requests");
  CHECK(model.name_of("shop/Wire") == "shop/Wire");
  CHECK(model.name_of("bank/Requests/Wire") == "Requests/Wire");
  CHECK(model.name_of("Wire") == "Wire");
  CHECK(model.name_of("not/known") == "known");
}
