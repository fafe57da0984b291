# SPDX-License-Identifier: Apache-2.0
# compmond_folder(<name> [DEPENDS <folder>...] [LIBRARIES <target>...])
# One folder of common/ or daemon/ = one static library compmond_<name> = one namespace. DEPENDS names the other folders
# that this one may use: the only link edges there are, so an include against the arrows does not build.
function(compmond_folder name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
                                      ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.S)
  set(target compmond_${name})
  list(TRANSFORM ARG_DEPENDS PREPEND compmond_)
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${ARG_DEPENDS} ${ARG_LIBRARIES}
                                    PRIVATE compmond_options ${ARG_PRIVATE_LIBRARIES})
    compmond_precompiled(${target})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARG_DEPENDS} ${ARG_LIBRARIES})
    set(scope INTERFACE)
  endif()
  # Each folder's headers are reached only through its own link edge: include <name>/<file>.h.
  set(view ${CMAKE_BINARY_DIR}/include/${name})
  file(MAKE_DIRECTORY ${view})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR}/${name} ${view}/${name} SYMBOLIC)
  target_include_directories(${target} ${scope} ${view})
endfunction()
