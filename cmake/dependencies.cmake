# SPDX-License-Identifier: Apache-2.0
# Every library that the project takes from the system, in one place (see scripts/setup for the packages).
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
pkg_check_modules(libbpf REQUIRED IMPORTED_TARGET libbpf>=1.1)
pkg_check_modules(libelf REQUIRED IMPORTED_TARGET libelf)
pkg_check_modules(libdw REQUIRED IMPORTED_TARGET libdw)
pkg_check_modules(libcap REQUIRED IMPORTED_TARGET libcap)
pkg_check_modules(nlohmann_json REQUIRED IMPORTED_TARGET nlohmann_json)
pkg_check_modules(cli11 REQUIRED IMPORTED_TARGET CLI11)
find_package(zydis REQUIRED CONFIG)
find_library(LIBIBERTY iberty REQUIRED)
pkg_check_modules(imgui REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(graphviz REQUIRED IMPORTED_TARGET libgvc libcgraph)
# Graphviz keeps its layout engines as plugins in a folder of their own; the one that is used is linked.
find_library(GRAPHVIZ_DOT NAMES gvplugin_dot_layout PATH_SUFFIXES graphviz REQUIRED)
