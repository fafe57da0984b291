// SPDX-License-Identifier: Apache-2.0
#include "prepare/resolve.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

using namespace compmond;
using prepare::ImageFile;

namespace {

ImageFile file_at(const std::string& path, bool main, bool wanted) {
  auto fd = std::make_shared<const Fd>(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  REQUIRE(fd->valid());
  struct stat st {};
  REQUIRE(::fstat(fd->get(), &st) == 0);
  return {fd, path, "", main, wanted, st.st_dev, st.st_ino, uint64_t(st.st_size)};
}

const std::string kNoProgram = SOURCE_DIR "/CMakeLists.txt";
const std::string kProgram = BUILD_DIR "/bin/targets/counted";

spec::Spec spec_of(const std::string& pattern) {
  spec::Spec out;
  out.components.resize(1);
  out.components[0].name = out.components[0].path = "C";
  out.components[0].operations.resize(1);
  out.components[0].operations[0].symbol = pattern;
  out.components[0].operations[0].pointer = "/components/0/in/0";
  return out;
}

// Observes whatever there is.
class Any : public plan::Planner {
 public:
  std::vector<plan::Way> plan(const plan::Wanted&) override { return {{}}; }
};
const plan::PlanOptions kOptions = {
    .planners = {{"any", [](const auto&) { return std::make_unique<Any>(); }}}};

}  // namespace

TEST_CASE("resolve: the plan names the files that were given, with their descriptors") {
  const ImageFile program = file_at(kProgram, true, true);
  const auto out = prepare::resolve(spec_of("work"), {program}, kOptions);
  REQUIRE(out);
  REQUIRE(out->plan.operations.size() == 1);
  CHECK(out->plan.operations[0].symbol == "work");
  CHECK(out->plan.operations[0].ways.at(0).engine == "any");
  REQUIRE(out->plan.images.size() == 1);
  CHECK(out->plan.images[0].file == program.fd);
  CHECK(out->plan.images[0].inode == program.inode);
  CHECK(out->programs.front().build_id.size() == 40);
  CHECK(out->notes.empty());
}

TEST_CASE("resolve: an error in the child is the error that a person sees") {
  const auto out = prepare::resolve(spec_of("worc"), {file_at(kProgram, true, true)}, kOptions);
  REQUIRE_FALSE(out);
  CHECK(out.error().code == Exit::kData);
  CHECK(out.error().why.find("nearest: work") != std::string::npos);
}

TEST_CASE("resolve: a wanted file that is no program is an error, another one is passed over") {
  const ImageFile program = file_at(kProgram, true, true);
  const auto wanted =
      prepare::resolve(spec_of("work"), {program, file_at(kNoProgram, false, true)}, kOptions);
  REQUIRE_FALSE(wanted);
  CHECK(wanted.error().code == Exit::kData);
  CHECK(wanted.error().what.find("CMakeLists.txt") != std::string::npos);
  CHECK(prepare::resolve(spec_of("work"), {program, file_at(kNoProgram, false, false)}, kOptions));
}

TEST_CASE("resolve: a file that ends its reader is refused by name") {
  guard::ConfinedLimits limits;
  limits.deadline_ns = 0;
  const auto out =
      prepare::resolve(spec_of("work"), {file_at(kProgram, true, true)}, kOptions, limits);
  REQUIRE_FALSE(out);
  CHECK(out.error().code == Exit::kData);
  CHECK(out.error().what == "cannot read '" + kProgram + "'");
  CHECK(out.error().why.find("did not end within") != std::string::npos);
}
