# SPDX-License-Identifier: Apache-2.0
# The sources of a target begin with the headers that most of them include, read once. Only where COMPMOND_PCH is on:
# without it (presets release and fuzz) a file that forgets an include does not build.
#   compmond_precompiled(<target>)         a library of the product
#   compmond_precompiled_tests(<target>)   a program of unit tests: not optimised either, its code runs once
option(COMPMOND_PCH "precompile the headers that most files include" OFF)

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

if(COMPMOND_PCH)
  precompile(compmond_precompiled ${common_headers})
  precompile(compmond_precompiled_tests ${common_headers} <doctest/doctest.h>)
  target_compile_options(compmond_precompiled_tests PRIVATE ${test_options})
endif()

function(compmond_precompiled target)
  if(COMPMOND_PCH)
    target_precompile_headers(${target} REUSE_FROM compmond_precompiled)
    target_link_libraries(${target} PRIVATE fmt::fmt)  # as those headers were compiled
  endif()
endfunction()

function(compmond_precompiled_tests target)
  if(COMPMOND_PCH)
    target_precompile_headers(${target} REUSE_FROM compmond_precompiled_tests)
    target_compile_options(${target} PRIVATE ${test_options})
  endif()
endfunction()
