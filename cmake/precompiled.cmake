# SPDX-License-Identifier: Apache-2.0
# compmond_precompiled(<target>): the target's sources begin with the headers that most of them include, read once. Only
# where COMPMOND_PCH is on: without it (the other presets) a file that forgets an include does not build.
option(COMPMOND_PCH "precompile the headers that most files include" OFF)

if(COMPMOND_PCH)
  file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
  add_library(compmond_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
  target_link_libraries(compmond_precompiled PRIVATE compmond_options fmt::fmt)
  target_precompile_headers(compmond_precompiled PRIVATE
    <algorithm> <atomic> <cstdint> <fmt/format.h> <functional> <map> <memory> <mutex> <optional> <ranges> <string>
    <string_view> <unordered_map> <vector>)
endif()

function(compmond_precompiled target)
  if(COMPMOND_PCH)
    target_precompile_headers(${target} REUSE_FROM compmond_precompiled)
  endif()
endfunction()
