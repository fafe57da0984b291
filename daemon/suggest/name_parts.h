// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "suggest/program.h"

namespace compmond::suggest {

// What a name says of where its function belongs, the widest first, each as a beginning of the
// name that a person would recognise: "ngx", "ngx_http" and so on of ngx_http_core_run_phases;
// "Exec", "ExecInit" and "ExecInitNode" of ExecInitNode; "fh", "fh::Server" of fh::Server::run.
// That of C ends with all of it: a function may be a part of the program by itself. Template
// arguments and anonymous namespaces say nothing.
std::vector<std::string> scopes_of(const Function& function);

// Its name without template arguments, anonymous namespaces and traits.
std::string plain_name_of(const Function& function);

// Whether it is of what every program of its language has, as std:: of C++ and core:: of Rust, or
// of what the linker adds.
bool is_of_runtime(std::string_view name);
// Whether that library is one that every program has.
bool is_runtime_library(std::string_view path);
// Whether it lies where the libraries of all programs do.
bool is_system_library(std::string_view path);

}  // namespace compmond::suggest
