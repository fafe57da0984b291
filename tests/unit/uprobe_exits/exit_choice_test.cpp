// SPDX-License-Identifier: Apache-2.0
#include "uprobe_exits/exit_choice.h"

#include <doctest/doctest.h>

#include "../plan/built_image.h"

using namespace compmond;
using plan::Candidate;
using spec::ExitMode;
using uprobe::choose_exit;
using uprobe::return_probe_risk;

namespace {

uprobe::FunctionSites known() {
  uprobe::FunctionSites sites;
  sites.exits = {{0x1008, false}};
  sites.exits_complete = true;
  return sites;
}
uprobe::FunctionSites unknown() {
  uprobe::FunctionSites sites;
  sites.incomplete_reason = "conditional tail jump at +0x2";
  return sites;
}
Candidate calling(const std::string& path, const std::string& function, bool main = false) {
  return built_image(path, ".c",
                     "void " + function + "(void); void f(void) { " + function + "(); }", main);
}
const std::string kRisk = "libx.so can throw C++ exceptions";

}  // namespace

TEST_CASE(
    "exit choice: auto takes return-probe where nothing speaks against it, and says nothing") {
  for (const auto& sites : {known(), unknown()}) {
    const auto choice = choose_exit(spec::ExitMode::kAuto, sites, "");
    CHECK_FALSE(choice.refused);
    CHECK(choice.mode == ExitMode::kReturnProbe);
    CHECK(choice.reason.empty());
  }
}

TEST_CASE("exit choice: auto takes ret-sites at a risk, and names it") {
  const auto choice = choose_exit(spec::ExitMode::kAuto, known(), kRisk);
  CHECK_FALSE(choice.refused);
  CHECK(choice.mode == ExitMode::kRetSites);
  CHECK(choice.reason == "ret-sites: libx.so can throw C++ exceptions");
}

TEST_CASE("exit choice: auto refuses at a risk when exits are not known, with the remedy") {
  const auto choice = choose_exit(spec::ExitMode::kAuto, unknown(), kRisk);
  CHECK(choice.refused);
  CHECK(choice.reason ==
        "return-probe is not safe (libx.so can throw C++ exceptions), and its exits are not all "
        "known: conditional tail "
        "jump at +0x2. Set \"exit\": \"entry-only\" to count it");
}

TEST_CASE("exit choice: what was asked for is done, a risky return-probe with a warning") {
  CHECK(choose_exit(spec::ExitMode::kReturnProbe, unknown(), kRisk).mode == ExitMode::kReturnProbe);
  CHECK(choose_exit(spec::ExitMode::kReturnProbe, unknown(), kRisk).reason ==
        "return-probe as asked for, although libx.so can throw C++ exceptions");
  CHECK(choose_exit(spec::ExitMode::kReturnProbe, unknown(), "").reason.empty());
  CHECK(choose_exit(spec::ExitMode::kRetSites, known(), "").mode == ExitMode::kRetSites);
  CHECK(choose_exit(spec::ExitMode::kRetSites, unknown(), "").refused);
  CHECK(choose_exit(spec::ExitMode::kEntryOnly, unknown(), kRisk).mode == ExitMode::kEntryOnly);
  CHECK_FALSE(choose_exit(spec::ExitMode::kEntryOnly, unknown(), kRisk).refused);
}

TEST_CASE("exit choice: plain C is no risk, C++ is one for its own functions alone") {
  const auto plain = built_image("/lib/libplain.so", ".c", "int f(int x) { return x; }");
  const auto cpp =
      built_image("/lib/libcpp.so", ".cpp", "void g(); int f(int x) { g(); return x; }");
  CHECK(return_probe_risk(plain, {plain}).empty());
  CHECK(return_probe_risk(plain, {cpp, plain}).empty());
  CHECK(return_probe_risk(cpp, {cpp, plain}) == "libcpp.so can throw C++ exceptions");
}

TEST_CASE("exit choice: what hinders system calls in the target is a risk for every image") {
  const auto plain = built_image("/lib/libplain.so", ".c", "int f(int x) { return x; }");
  auto app = built_image("/bin/app", ".c", "int main() { return 0; }", true);
  CHECK(return_probe_risk(plain, {app, plain}).empty());
  app.hindrance = "process 7 is traced";
  CHECK(return_probe_risk(plain, {app, plain}) == "process 7 is traced");
  CHECK(return_probe_risk(app, {app, plain}) == "process 7 is traced");
}

TEST_CASE("exit choice: stack switching is a risk for every image") {
  const auto plain = built_image("/lib/libplain.so", ".c", "int f(int x) { return x; }");
  CHECK(return_probe_risk(plain, {calling("/bin/app", "swapcontext", true), plain}) ==
        "app switches stacks");
  CHECK(return_probe_risk(plain, {calling("/lib/libfiber.so", "make_fcontext"), plain}) ==
        "libfiber.so switches stacks");
  auto elsewhere = calling("/bin/other", "swapcontext", true);
  elsewhere.programs = 2;  // no process runs both
  CHECK(return_probe_risk(plain, {elsewhere, plain}).empty());
  auto by_code = built_image("/lib/libco.so", ".c", "int g(int x) { return x; }");
  by_code.switching = "co_switch";
  CHECK(return_probe_risk(plain, {by_code, plain}) == "libco.so switches stacks (co_switch)");
  // It does so for who asks, and is mapped by nearly every server.
  const auto on_request = calling("/lib/libcrypto.so.3", "makecontext");
  CHECK(return_probe_risk(plain, {on_request, plain}).empty());
  CHECK(return_probe_risk(on_request, {on_request, plain}) == "libcrypto.so.3 switches stacks");
}

TEST_CASE(
    "exit choice: ending threads by unwinding is a risk for every image where C++ does it, for its "
    "own in plain C") {
  const auto plain = built_image("/lib/libplain.so", ".c", "int f(int x) { return x; }");
  const auto cpp = built_image("/lib/libcpp.so", ".cpp",
                               "#include <pthread.h>\nvoid f() { pthread_exit(nullptr); }");
  const auto c = calling("/lib/libc-threads.so", "pthread_exit");
  CHECK(return_probe_risk(plain, {cpp, plain}) ==
        "libcpp.so can end threads by unwinding (pthread_exit, pthread_cancel)");
  CHECK(return_probe_risk(plain, {c, plain}).empty());
  CHECK(return_probe_risk(c, {c, plain}) ==
        "libc-threads.so can end threads by unwinding (pthread_exit, pthread_cancel)");
}

TEST_CASE("exit choice: a signal stack is a risk for every image") {
  const auto plain = built_image("/lib/libplain.so", ".c", "int f(int x) { return x; }");
  const auto stack = calling("/lib/libstack.so", "sigaltstack");
  CHECK(return_probe_risk(stack, {stack, plain}) ==
        "libstack.so runs signal handlers on a stack of their own");
  CHECK(return_probe_risk(plain, {stack, plain}) ==
        "libstack.so runs signal handlers on a stack of their own");
}

TEST_CASE("exit choice: OpenSSL's stack switch counts for OpenSSL alone") {
  const auto plain = built_image("/lib/libplain.so", ".c", "int f(int x) { return x; }");
  const auto ssl = calling("/lib/libcrypto.so.3", "makecontext");
  CHECK(return_probe_risk(plain, {ssl, plain}).empty());
  CHECK(return_probe_risk(ssl, {ssl, plain}) == "libcrypto.so.3 switches stacks");
}

TEST_CASE("exit choice: an image that is loaded later is a risk to all, to what is open, or none") {
  const auto plain = uprobe::later_risk(calling("/lib/libplain.so", "puts"));
  CHECK(plain.to_all.empty());
  CHECK(plain.to_open.empty());
  CHECK_FALSE(uprobe::later_risk(calling("/lib/libfiber.so", "swapcontext")).to_all.empty());
  const auto throws = uprobe::later_risk(
      built_image("/lib/plugin.so", ".cpp",
                  "void g(); int f() { try { g(); } catch (int) { return 1; } return 0; }"));
  CHECK(throws.to_all.empty());
  CHECK(throws.to_open == "plugin.so may throw through it");
}
