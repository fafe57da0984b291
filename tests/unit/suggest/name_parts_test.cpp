// SPDX-License-Identifier: Apache-2.0
#include "suggest/name_parts.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace compmond::suggest {
namespace {

using Words = std::vector<std::string>;

Words of_c(const std::string& name) { return scopes_of({.symbol = name, .name = name}); }
Words of_cpp(const std::string& name) { return scopes_of({.symbol = "_Z", .name = name}); }
std::string plain(const std::string& name) { return plain_name_of({.symbol = "_Z", .name = name}); }

}  // namespace

TEST_CASE("name parts: words of C end at underscores, at capitals and with the name") {
  CHECK(of_c("ngx_http_run") == Words{"ngx", "ngx_http", "ngx_http_run"});
  CHECK(of_c("ExecInitNode") == Words{"Exec", "ExecInit", "ExecInitNode"});
  CHECK(of_c("XLogInsert") == Words{"X", "XLog", "XLogInsert"});
  CHECK(of_c("sha256Update") == Words{"sha256", "sha256Update"});
  CHECK(of_c("HTTPServerRun") == Words{"HTTP", "HTTPServer", "HTTPServerRun"});
  CHECK(of_c("main") == Words{"main"});
}

TEST_CASE("name parts: underscores before a name of C say nothing") {
  CHECK(of_c("_bt_search") == Words{"bt", "bt_search"});
  CHECK(of_c("__x") == Words{"x"});
  CHECK(of_c("_") == Words{"_"});
  CHECK(of_c("a__b") == Words{"a", "a__b"});
}

TEST_CASE("name parts: scopes of C++ are namespaces and classes, without what is in brackets") {
  CHECK(of_cpp("fh::Server::run") == Words{"fh", "fh::Server"});
  CHECK(of_cpp("fh::Map<std::string, int>::find<char>") == Words{"fh", "fh::Map"});
  CHECK(of_cpp("fh::(anonymous namespace)::run") == Words{"fh"});
  CHECK(of_cpp("(anonymous namespace)::run").empty());
  CHECK(of_cpp("fh::Pointer::operator->") == Words{"fh", "fh::Pointer"});
  CHECK(of_cpp("fh::run(int)::{lambda(int)#1}::operator()") == Words{"fh", "fh::run"});
}

TEST_CASE(
    "name parts: what a type of Rust does for a trait is the type's, or the trait's where it is "
    "anybody's type") {
  CHECK(of_cpp("<shop::Cart as shop::Price>::total") == Words{"shop", "shop::Cart"});
  CHECK(of_cpp("<shop::Cart>::add::<u32>") == Words{"shop", "shop::Cart"});
  CHECK(of_cpp("<&mut shop::Cart as core::fmt::Debug>::fmt") == Words{"shop", "shop::Cart"});
  CHECK(of_cpp("<T as shop::Price>::total") == Words{"shop", "shop::Price"});
  CHECK(of_cpp("<alloc::vec::Vec<shop::Cart> as shop::Price>::total") ==
        Words{"shop", "shop::Price"});
  CHECK(of_cpp("shop::serve::{closure#0}") == Words{"shop"});
}

TEST_CASE("name parts: a plain name is the function's without its types") {
  CHECK(plain("fh::Map<int>::find<char>") == "fh::Map::find");
  CHECK(plain("(anonymous namespace)::run") == "run");
  CHECK(plain("shop::total::<u8>") == "shop::total");
  CHECK(plain_name_of({.symbol = "ngx_run", .name = "ngx_run"}) == "ngx_run");
}

TEST_CASE("name parts: what every program of a language has is no part of a program") {
  for (const char* name :
       {"std::vector<fh::A>::push_back", "__gnu_cxx::f", "core::ptr::drop_in_place<shop::Cart>",
        "<alloc::vec::Vec<shop::Cart> as core::ops::drop::Drop>::drop",
        "<&T as core::fmt::Debug>::fmt", "<str>::trim", "<[u8]>::copy_within::<usize>",
        "<<std::io::A>::b::C as core::fmt::Display>::fmt", "operator new", "_start", "frame_dummy",
        "__rustc::__rust_alloc"}) {
    INFO(name);
    CHECK(is_of_runtime(name));
  }
  for (const char* name : {"fh::std::f", "stdio_open", "coreFunction", "main", "operator_run",
                           "<shop::Cart as core::ops::drop::Drop>::drop"}) {
    INFO(name);
    CHECK_FALSE(is_of_runtime(name));
  }
}

TEST_CASE("name parts: libraries of every program are told by their files") {
  for (const char* path : {"/lib/x86_64-linux-gnu/libc.so.6", "/usr/lib/libstdc++.so.6.0.30",
                           "/lib64/ld-linux-x86-64.so.2", "libm.so.6", "/lib/libgcc_s.so.1"}) {
    INFO(path);
    CHECK(is_runtime_library(path));
  }
  for (const char* path : {"/usr/lib/libcrypto.so.3", "/opt/app/libcart.so", "libmysql.so"}) {
    INFO(path);
    CHECK_FALSE(is_runtime_library(path));
  }
  CHECK(is_system_library("/usr/lib/x86_64-linux-gnu/libz.so.1"));
  CHECK(is_system_library("/lib/libz.so.1"));
  CHECK_FALSE(is_system_library("/opt/lib/libcart.so"));
}

}  // namespace compmond::suggest
