# SPDX-License-Identifier: Apache-2.0
# Most of a compiler's time goes into headers. So the sources of a target begin with those that most of them include, read once,
# and a few of them are compiled as one: names in their anonymous namespaces must differ within a target. Only where
# COMPMOND_FAST_BUILD is on: without it (presets release and fuzz) a file that forgets an include does not build.
#   compmond_fast_build(<target>)                   a library of the product
#   compmond_fast_build_of_tests(<target> [APART])  a program of unit tests: not optimised either, its code runs once;
#                                                   APART: its files use the same names
option(COMPMOND_FAST_BUILD "precompile the headers that most files include, compile some files as one" OFF)

set(files_as_one 5)  # more would hardly be faster, but for who changes one of them

set(common_headers <algorithm> <atomic> <cstdint> <fmt/format.h> <functional> <map> <memory> <mutex> <optional> <ranges>
                   <string> <string_view> <unordered_map> <vector>)

# An assertion that throws ends its case, which it does not catch: a sixth of the time that its compiling takes.
set(test_options -O0 -DDOCTEST_CONFIG_NO_TRY_CATCH_IN_ASSERTS)

# What others reuse must be compiled with their options.
function(precompile name)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
  add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(${name} PRIVATE compmond_options fmt::fmt)
  target_precompile_headers(${name} PRIVATE ${ARGN})
endfunction()

if(COMPMOND_FAST_BUILD)
  precompile(compmond_precompiled ${common_headers})
  precompile(compmond_precompiled_tests ${common_headers} <doctest/doctest.h>)
  target_compile_options(compmond_precompiled_tests PRIVATE ${test_options})
endif()

function(compmond_fast_build target)
  if(COMPMOND_FAST_BUILD)
    target_precompile_headers(${target} REUSE_FROM compmond_precompiled)
    target_link_libraries(${target} PRIVATE fmt::fmt)  # as those headers were compiled
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_as_one})
  endif()
endfunction()

function(compmond_fast_build_of_tests target)
  cmake_parse_arguments(ARG "APART" "" "" ${ARGN})
  if(COMPMOND_FAST_BUILD)
    target_precompile_headers(${target} REUSE_FROM compmond_precompiled_tests)
    target_compile_options(${target} PRIVATE ${test_options})
    if(NOT ARG_APART)
      set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${files_as_one})
    endif()
  endif()
endfunction()
