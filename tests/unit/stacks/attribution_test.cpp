// SPDX-License-Identifier: Apache-2.0
#include "stacks/attribution.h"

#include <doctest/doctest.h>

#include <set>

using namespace compmond;
using namespace compmond::estimate;
using sampling::Ended;
using sampling::Frame;

namespace {

constexpr sampling::ImageNumber kMain = 3, kLib = 4;

// Components: Top contains Parser and Store; Other stands alone. Operations: 0 top, 1 parse with a
// cold part, 2 more of Parser, 3 store, 4 other.
Model model() {
  Model out;
  out.parent_of = {-1, 0, 0, -1};
  const int component[] = {0, 1, 1, 2, 3};
  for (int op = 0; op < 5; ++op)
    out.operations.push_back(
        {component[op], 8, 100, "ab", {{uint64_t(0x1000 + 0x100 * op), 0x80}}});
  out.operations[1].ranges.push_back({0x9000, 0x10});
  return out;
}

struct Known {
  Known() { attribution.on_image({kMain, "/main", 8, 100, "ab"}); }
  Attribution attribution{model()};
};

Frame of(int op) { return {kMain, uint64_t(0x1000 + 0x100 * op + 4)}; }
const Frame kLibrary{kLib, 0x55};

std::set<Key> set(const std::vector<Key>& keys) {
  CHECK(std::set(keys.begin(), keys.end()).size() == keys.size());
  return {keys.begin(), keys.end()};
}

}  // namespace

TEST_CASE("attribution: code is an operation's from its first byte to before its end") {
  Known k;
  CHECK(k.attribution.operation_of({kMain, 0x0fff}) == kNoOperation);
  CHECK(k.attribution.operation_of({kMain, 0x1000}) == 0);
  CHECK(k.attribution.operation_of({kMain, 0x107f}) == 0);
  CHECK(k.attribution.operation_of({kMain, 0x1080}) == kNoOperation);
  CHECK(k.attribution.operation_of({kMain, 0x9008}) == 1);  // the cold part
  CHECK(k.attribution.operation_of({kLib, 0x1000}) == kNoOperation);
  CHECK(k.attribution.operation_of({77, 0x1000}) == kNoOperation);  // never told of
}

TEST_CASE("attribution: build ids tell files apart where both are known, else device and inode") {
  const auto found = [](uint64_t inode, const char* build_id) {
    Attribution attribution(model());
    attribution.on_image({kMain, "/x", 8, inode, build_id});
    return attribution.operation_of({kMain, 0x1000}) == 0;
  };
  CHECK(found(100, "ab"));
  CHECK(found(7, "ab"));          // a copy, or seen through another file system
  CHECK_FALSE(found(100, "cd"));  // written over in place
  CHECK(found(100, ""));
  CHECK_FALSE(found(7, ""));
  CHECK_FALSE(found(0, ""));
}

TEST_CASE("attribution: a sample belongs to its innermost operation and to all on its stack") {
  Known k;
  // A library within parse, called by store within a library, called by top.
  const Frame frames[] = {kLibrary, of(1), kLibrary, of(3), kLibrary, of(0), kLibrary};
  const Attributed a = k.attribution.attribute(frames, Ended::kComplete);
  CHECK(a.operation == 1);
  CHECK_FALSE(a.cut);
  CHECK(set(a.own) == std::set{Key(Kind::kOperationOwn, 1), Key(Kind::kComponentOwn, 1),
                               Key(Kind::kSubtreeOwn, 0)});
  CHECK(set(a.within) == std::set{Key(Kind::kOperationWithin, 0), Key(Kind::kOperationWithin, 1),
                                  Key(Kind::kOperationWithin, 3), Key(Kind::kComponentWithin, 0),
                                  Key(Kind::kComponentWithin, 1), Key(Kind::kComponentWithin, 2),
                                  Key(Kind::kSubtreeWithin, 0), Key(Kind::kEdge, 2, 1),
                                  Key(Kind::kEdge, 0, 2), Key(Kind::kEdge, Key::kBottom, 0)});
}

TEST_CASE("attribution: recursion counts once, and calls within a component are no edge") {
  Known k;
  const Frame frames[] = {of(1), of(2), of(1), of(2), of(1), of(4), of(1)};
  const Attributed a = k.attribution.attribute(frames, Ended::kComplete);
  CHECK(set(a.within) == std::set{Key(Kind::kOperationWithin, 1), Key(Kind::kOperationWithin, 2),
                                  Key(Kind::kOperationWithin, 4), Key(Kind::kComponentWithin, 1),
                                  Key(Kind::kComponentWithin, 3), Key(Kind::kSubtreeWithin, 0),
                                  Key(Kind::kEdge, 3, 1), Key(Kind::kEdge, 1, 3),
                                  Key(Kind::kEdge, Key::kBottom, 1)});
}

TEST_CASE("attribution: who called is unknown where a stack was cut, never invented") {
  Known k;
  for (const Ended ended : {Ended::kTruncated, Ended::kBroken}) {
    const Frame frames[] = {of(4)};
    const Attributed a = k.attribution.attribute(frames, ended);
    CHECK(a.cut);
    CHECK(a.operation == 4);
    CHECK(set(a.within) == std::set{Key(Kind::kOperationWithin, 4), Key(Kind::kComponentWithin, 3),
                                    Key(Kind::kEdge, Key::kUnknown, 3)});
  }
}

TEST_CASE("attribution: below no operation is elsewhere, by the innermost frame's image") {
  Known k;
  const Frame frames[] = {kLibrary, {kMain, 0x50}};
  const Attributed a = k.attribution.attribute(frames, Ended::kComplete);
  CHECK(a.operation == kNoOperation);
  CHECK(set(a.own) == std::set{Key(Kind::kElsewhere, kLib), Key(Kind::kElsewhere, Key::kAll)});
  CHECK(a.within.empty());
  CHECK(set(k.attribution.attribute({}, Ended::kBroken).own) ==
        std::set{Key(Kind::kElsewhere, sampling::kNoImage), Key(Kind::kElsewhere, Key::kAll)});
}
