# SPDX-License-Identifier: Apache-2.0
# compmond_folder(<name> [PATH <folder>] [PREFIX <include prefix>] [EXPOSES <room>...] [DEPENDS <room>...]
#                 [LIBRARIES <target>...] [PRIVATE_LIBRARIES <target>...])
# One folder of common/, daemon/ or ui/ = a room = one static library compmond_<name>. EXPOSES names the rooms that its headers
# include, DEPENDS those that its sources alone do: the only link edges there are. What a room EXPOSES is passed on, so that an
# include against the arrows may build; `scripts/rooms check` holds the includes against these words.
function(compmond_folder name)
  cmake_parse_arguments(ARG "" "PATH;PREFIX" "EXPOSES;DEPENDS;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  if(ARG_PATH)
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${ARG_PATH})
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp ${folder}/*.S)
  set(target compmond_${name})
  list(TRANSFORM ARG_EXPOSES PREPEND compmond_)
  list(TRANSFORM ARG_DEPENDS PREPEND compmond_)
  if(sources)
    add_library(${target} STATIC ${sources})
    target_link_libraries(${target} PUBLIC ${ARG_EXPOSES} ${ARG_LIBRARIES}
                                    PRIVATE ${ARG_DEPENDS} compmond_options ${ARG_PRIVATE_LIBRARIES})
    compmond_fast_build(${target})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    target_link_libraries(${target} INTERFACE ${ARG_EXPOSES} ${ARG_LIBRARIES})
    set(scope INTERFACE)
  endif()
  # Each folder's headers are reached only through its own link edge: include <name>/<file>.h, or <prefix>/<file>.h.
  set(prefix ${name})
  if(ARG_PREFIX)
    set(prefix ${ARG_PREFIX})
  endif()
  set(view ${CMAKE_BINARY_DIR}/include/${name})
  cmake_path(GET prefix PARENT_PATH above)
  file(MAKE_DIRECTORY ${view}/${above})
  file(CREATE_LINK ${folder} ${view}/${prefix} SYMBOLIC)
  target_include_directories(${target} ${scope} ${view})
  set_property(GLOBAL APPEND PROPERTY COMPMOND_ROOM_VIEWS ${view})
endfunction()

# A test may look into every room, also into those that its own room hides.
function(compmond_sees_all_rooms target)
  get_property(views GLOBAL PROPERTY COMPMOND_ROOM_VIEWS)
  target_include_directories(${target} PRIVATE ${views})
endfunction()
