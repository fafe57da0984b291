// SPDX-License-Identifier: Apache-2.0
#include "bpf_engine/load_error.h"

#include <doctest/doctest.h>

#include <cerrno>

namespace compmond::bpf_engine {
namespace {

constexpr const char* kVerifiersLog =
    "libbpf: prog 'on_timer': BPF program load failed: Permission denied\n"
    "libbpf: prog 'on_timer': -- BEGIN PROG LOAD LOG --\n"
    "; return code[(CODE_BYTES - length) & 7] == POINTER_CALL &&\n"
    "invalid variable-offset read from stack R2 var_off=(0x0; 0xffffffff) off=-8 size=1\n"
    "processed 1021 insns (limit 1000000) max_states_per_insn 4\n"
    "-- END PROG LOAD LOG --\n"
    "libbpf: failed to load object 'sampler_bpf'\n";

TEST_CASE("load error: the program that was refused, and the verifier's last word on it") {
  CHECK(reason_in(kVerifiersLog) ==
        "libbpf: prog 'on_timer': BPF program load failed: Permission denied; invalid "
        "variable-offset read from stack R2 var_off=(0x0; 0xffffffff) off=-8 size=1");
}

TEST_CASE("load error: without the verifier's account the first line is the reason") {
  CHECK(reason_in("libbpf: failed to find valid kernel BTF\nlibbpf: more\n") ==
        "libbpf: failed to find valid kernel BTF");
  CHECK(reason_in("").empty());
  CHECK(reason_in("\nprocessed 3 insns").empty());
}

TEST_CASE("load error: a program that the verifier refuses is no lack of rights") {
  CHECK(load_error("cannot load", EACCES, "").value().code == Exit::kUnavailable);
  CHECK(load_error("cannot load", EPERM, "").value().code == Exit::kNoPermission);
}

TEST_CASE("load error: a lack of descriptors is no lack of the kernel") {
  CHECK(load_error("cannot load", EMFILE, "doctor").value().next.find("ulimit -n") !=
        std::string::npos);
  CHECK(load_error("cannot load", EINVAL, "doctor").value().next == "doctor");
}

}  // namespace
}  // namespace compmond::bpf_engine
