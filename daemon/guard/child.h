// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <seccomp.h>
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

// What the children that handle untrusted files have in common. Results are what failed, for
// people; empty when nothing did.
namespace compmond::guard {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;  // maps terabytes of shadow, and reports on stderr
#else
constexpr bool kSanitized = false;
#endif

std::string failed(const char* what, int err);

// Of a child that was waited for and gave no result: "was killed by SIGSEGV (…)".
std::string ending_of(int status);

// Another user than root, where the user namespace has one and this process may; which it is then.
// Capabilities go with it, but for those that PR_SET_KEEPCAPS keeps to be used again.
constexpr uid_t kNobody = 65534;
std::string become_nobody();

// As above for good, but the capabilities that are listed stay where they are there; nobody else
// may look into this process any more.
std::string become_nobody_but(std::span<const int> kept);

// Nothing that is executed later can have a capability. Only who has CAP_SETPCAP may; without exec
// it plays no part.
void drop_bounding_set();

// Keeps what is listed of the capabilities that there are, for good. 0 or errno.
int keep_capabilities(std::span<const int> kept);

// In a fresh child that ends with compmond, not at a Ctrl-C: blocks all signals, and says what it
// is.
void become_helper(const char* name);

bool bound(__rlimit_resource_t resource, rlim_t soft, rlim_t hard);

// For good: nothing is gained by executing anything, and nobody else may look into this process.
// After the user was changed, which undoes some of it.
std::string stay_so();

// For good: no capability, and none to be gained by executing anything. Until it executes
// something: nobody else may look into it. After the user was changed, which undoes some of it.
std::string give_up_gaining();

// A system call filter that lets pass what is listed.
class AllowList {
 public:
  explicit AllowList(uint32_t otherwise);  // SCMP_ACT_*
  void allow(int call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    add(SCMP_ACT_ALLOW, call, arguments);
  }
  void refuse(int call, int err) { add(SCMP_ACT_ERRNO(uint32_t(err)), call, {}); }
  void allow_sanitizers();  // what they need in a build that has them
  std::string load();       // from now on

 private:
  void add(uint32_t action, int call, std::initializer_list<scmp_arg_cmp> arguments);

  std::unique_ptr<void, void (*)(scmp_filter_ctx)> filter_;
  int err_ = 0;
};

}  // namespace compmond::guard
