# SPDX-License-Identifier: Apache-2.0
# One interface target that every library and program of the project links: warnings and sanitizers.
add_library(compmond_options INTERFACE)
target_compile_options(compmond_options INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor)
if(COMPMOND_SANITIZE)
  target_compile_options(compmond_options INTERFACE -fsanitize=${COMPMOND_SANITIZE}
                                                    -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(compmond_options INTERFACE -fsanitize=${COMPMOND_SANITIZE})
endif()
if(COMPMOND_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    message(FATAL_ERROR "COMPMOND_FUZZ needs clang: use the preset fuzz")
  endif()
  # Coverage for the fuzzer in all own code; out-of-range use of the standard library's containers aborts.
  target_compile_options(compmond_options INTERFACE -fsanitize=fuzzer-no-link)
  target_compile_definitions(compmond_options INTERFACE _GLIBCXX_ASSERTIONS)
endif()
