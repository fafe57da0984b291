# SPDX-License-Identifier: Apache-2.0
"""The includes of the rooms and the arrows that CMake's lists declare agree, and scripts/rooms sees where they do not."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ROOMS = ROOT / "scripts" / "rooms"


def rooms(command, root=ROOT):
    done = subprocess.run([str(ROOMS), command], env={**os.environ, "COMPMOND_ROOT": str(root)}, capture_output=True,
                          text=True, timeout=60)
    return done.returncode, done.stdout + done.stderr


@pytest.fixture
def house(tmp_path):
    """A house of two rooms without a fault: top uses base, in its header."""
    def write(name, text):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    write("daemon/CMakeLists.txt", "compmond_folder(base)\ncompmond_folder(top EXPOSES base)\n")
    write("daemon/base/text.h", "")
    write("daemon/top/top.h", '#include "base/text.h"\n')
    write("daemon/top/top.cpp", '#include "top/top.h"\n')
    (tmp_path / "docs" / "pictures").mkdir(parents=True)
    assert rooms("draw", tmp_path)[0] == 0
    write.root = tmp_path
    return write


def test_the_includes_of_compmond_are_the_arrows_that_its_lists_declare():
    status, text = rooms("check")
    assert status == 0, text


def test_a_house_without_a_fault_is_told_so(house):
    assert rooms("check", house.root) == (0, "2 rooms, 1 arrows, 0 faults\n")


@pytest.mark.parametrize("lists, says", [
    ("compmond_folder(base)\ncompmond_folder(top)", "daemon/top/top.h includes base/, and top has no arrow to it"),
    ("compmond_folder(base)\ncompmond_folder(top DEPENDS base)", "daemon/top/top.h is a header and includes base/"),
    ("compmond_folder(base DEPENDS top)\ncompmond_folder(top EXPOSES base)", "base has an arrow to top and includes nothing"),
    ("compmond_folder(base)\ncompmond_folder(top EXPOSES base attic)", "top names attic, which is no room"),
    ("compmond_folder(base)\ncompmond_folder(top EXPOSES base DEPENDS base)", "top names base twice"),
])
def test_a_wrong_list_is_told_by_its_place(house, lists, says):
    house("daemon/CMakeLists.txt", lists + "\n")
    status, text = rooms("check", house.root)
    assert status == 1 and says in text


def test_an_arrow_in_headers_that_only_a_source_needs_is_told(house):
    house("daemon/top/top.h", "")
    house("daemon/top/top.cpp", '#include "base/text.h"\n')
    status, text = rooms("check", house.root)
    assert status == 1 and "top EXPOSES base, and none of its headers includes it" in text


def test_a_circle_is_told_with_its_rooms(house):
    house("daemon/CMakeLists.txt", "compmond_folder(base EXPOSES top)\ncompmond_folder(top EXPOSES base)\n")
    house("daemon/base/text.h", '#include "top/top.h"\n')
    status, text = rooms("check", house.root)
    assert status == 1 and "go round in a circle: base, top" in text


def test_a_library_that_nothing_includes_is_told(house):
    house("daemon/CMakeLists.txt", "compmond_folder(base LIBRARIES fmt::fmt)\n"
          "compmond_folder(top EXPOSES base PRIVATE_LIBRARIES PkgConfig::libzstd PkgConfig::libbpf)\n")
    house("daemon/base/text.h", "#include <fmt/format.h>\n")
    house("daemon/top/top.cpp", '#include "top/top.h"\n#include <bpf/libbpf.h>\n')
    status, text = rooms("check", house.root)
    assert status == 1 and "top links PkgConfig::libzstd and includes nothing of it" in text
    assert text.count("includes nothing of it") == 1


@pytest.mark.parametrize("file, lines, says", [
    ("daemon/base/text.h", 150, None),
    ("daemon/base/text.h", 151, "daemon/base/text.h has 151 lines, more than 150"),
    ("daemon/top/top.cpp", 300, None),
    ("daemon/top/top.cpp", 301, "daemon/top/top.cpp has 301 lines, more than 300"),
    ("tests/unit/top/scene.h", 151, "tests/unit/top/scene.h has 151 lines, more than 150"),
    ("tests/targets/truth.cpp", 400, None),
    ("tests/targets/truth.cpp", 401, "tests/targets/truth.cpp has 401 lines, more than 400"),
])
def test_a_file_that_is_too_long_is_told(house, file, lines, says):
    house(file, "\n" * (lines - 1) + ('#include "top/top.h"\n' if file == "daemon/top/top.cpp" else "\n"))
    status, text = rooms("check", house.root)
    assert (status == 1 and says in text) if says else status == 0, text


@pytest.mark.parametrize("files, says", [(24, None), (25, "daemon/top has 27 files, more than 26")])
def test_a_room_of_too_many_files_is_told(house, files, says):
    house("daemon/top/bpf/CMakeLists.txt", "")  # programs of the kernel: a library of their own
    for i in range(files):
        house(f"daemon/top/{'below/' if i % 2 else ''}part_{i}.cpp", "")
        house(f"daemon/top/bpf/program_{i}.c", "")
    status, text = rooms("check", house.root)
    assert (status == 1 and says in text) if says else status == 0, text


def test_an_old_drawing_is_told(house):
    house("daemon/CMakeLists.txt", "compmond_folder(base)\ncompmond_folder(top EXPOSES base)\ncompmond_folder(roof EXPOSES top)\n")
    house("daemon/roof/roof.h", '#include "top/top.h"\n')
    status, text = rooms("check", house.root)
    assert status == 1 and "rooms.svg does not show today's arrows" in text
