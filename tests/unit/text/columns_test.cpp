// SPDX-License-Identifier: Apache-2.0
#include "text/columns.h"

#include <doctest/doctest.h>

using namespace compmond;

TEST_CASE("ellipsized: of a connection both names give way, its arrow stays") {
  CHECK(text::ellipsized("kieker.A → kieker.B", 19, "…") == "kieker.A → kieker.B");
  CHECK(text::ellipsized("kieker.Aa → kieker.Bb", 19, "…") == "…Aa → …Bb");
  CHECK(text::ellipsized("(outside) → kieker.examples.Bookstore", 23, "…") ==
        "(outside) → …Bookstore");
  CHECK(text::ellipsized("kieker.examples.Bookstore → CRM", 19, "…") == "…Bookstore → CRM");
}

TEST_CASE("ellipsized: of a class as many packages as it takes give way") {
  CHECK(text::ellipsized("kieker.examples.Bookstore", 19, "…") == "…examples.Bookstore");
  CHECK(text::ellipsized("kieker.examples.Bookstore", 18, "…") == "…Bookstore");
  CHECK(text::ellipsized("kieker.examples.Bookstore.search(..)", 22, "…") ==
        "…Bookstore.search(..)");
  CHECK(text::ellipsized("kieker.examples.Bookstore", 9, "…") == "Bookstore");
  CHECK(text::ellipsized("kieker.examples.Bookstore", 8, "…") == "Book…ore");
  CHECK(text::ellipsized("→ kieker.examples.Bookstore", 12, "…") == "→ …Bookstore");
  CHECK(text::ellipsized("libc.so.6", 7, "…") == "lib…o.6");
  CHECK(text::ellipsized("a.b::Call(x.Y)", 10, "…") == "a.b::…x.Y)");
}

TEST_CASE("ellipsized: the middle gives way, both ends stay") {
  CHECK(text::ellipsized("FileEncrypter", 13, "…") == "FileEncrypter");
  CHECK(text::ellipsized("FileEncrypter", 9, "…") == "File…pter");
  CHECK(text::ellipsized("FileEncrypter", 8, "..") == "Fil..ter");
  CHECK(text::ellipsized("äöüäöüäöü", 5, "…") == "äö…öü");
  CHECK(text::ellipsized("abc", 1, "…") == "a");
  CHECK(text::ellipsized("abc", 0, "…") == "");
  CHECK(text::cut("a sentence that ends", 12, "…") == "a sentence …");
  CHECK(text::cut_front("fh::FileHandler::open", 12, "…") == "…ndler::open");
  CHECK(text::cut_front("fh::FileHandler::open", 21, "…") == "fh::FileHandler::open");
  CHECK(text::cut_front("open", 2, "...") == "en");
}

TEST_CASE("padded: to the left or right, counted in characters") {
  CHECK(text::padded("µs", 4, true) == "  µs");
  CHECK(text::padded("µs", 4, false) == "µs  ");
  CHECK(text::padded("long", 2, true) == "long");
}

TEST_CASE("ascii: known marks have likenesses, anything else a question mark") {
  CHECK(text::ascii("12 µs · a → b … ä") == "12 us - a > b ? ?");
}
