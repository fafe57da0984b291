# SPDX-License-Identifier: Apache-2.0
# compmond_bpf_skeleton(<name>): compiles <name>.bpf.c beside the calling CMakeLists.txt with clang and embeds it as <name>.skel.h.
# Only the checked-in vmlinux.h is read: the build machine's kernel plays no part (CO-RE).
find_program(BPF_CLANG NAMES clang-14 clang REQUIRED)
find_program(BPF_STRIP NAMES llvm-strip-14 llvm-strip REQUIRED)
find_program(BPFTOOL NAMES bpftool PATHS /usr/sbin /sbin REQUIRED)

function(compmond_bpf_skeleton name)
  set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  set(skeleton ${CMAKE_CURRENT_BINARY_DIR}/${name}.skel.h)
  file(GLOB headers CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.h ${CMAKE_SOURCE_DIR}/daemon/engines/bpf/*.h
       ${CMAKE_SOURCE_DIR}/daemon/record/*.h ${CMAKE_SOURCE_DIR}/daemon/sampling/record.h)
  add_custom_command(
    OUTPUT ${object}
    COMMAND ${BPF_CLANG} -g -O2 -Wall -Werror -target bpf -mcpu=v3 -D__TARGET_ARCH_x86
            -I${CMAKE_CURRENT_SOURCE_DIR} -I${CMAKE_SOURCE_DIR}/daemon/engines/bpf -I${CMAKE_SOURCE_DIR}/daemon
            -c ${CMAKE_CURRENT_SOURCE_DIR}/${name}.bpf.c -o ${object}
    COMMAND ${BPF_STRIP} -g ${object}
    DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}.bpf.c ${headers}
    COMMENT "BPF object ${name}" VERBATIM)
  add_custom_command(
    OUTPUT ${skeleton}
    COMMAND sh -c "${BPFTOOL} gen skeleton ${object} name ${name}_bpf > ${skeleton}.new && mv ${skeleton}.new ${skeleton}"
    DEPENDS ${object}
    COMMENT "BPF skeleton ${name}" VERBATIM)
  add_custom_target(${name}_skeleton DEPENDS ${skeleton})
  add_library(compmond_bpf_${name} INTERFACE)
  target_include_directories(compmond_bpf_${name} SYSTEM INTERFACE ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(compmond_bpf_${name} INTERFACE PkgConfig::libbpf)
  add_dependencies(compmond_bpf_${name} ${name}_skeleton)
endfunction()
