# SPDX-License-Identifier: Apache-2.0
# Shared by the scripts beside it: source it, then `cd "$root"`.
# shellcheck shell=bash

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=$root/build/dev

# The distribution's interpreter, which sees the distribution's modules, whatever else PATH offers.
python=/usr/bin/python3

say() { printf '== %s\n' "$*"; }

die() {
  printf '%s: %s\n' "$(basename "$0")" "$*" >&2
  exit 1
}

# Runs a command as root: directly, or through sudo.
as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    die "'$1' needs root, and there is no sudo: run this script as root"
  fi
}

# Configures the preset dev and builds the named targets (none: everything).
build_dev() {
  local targets=()
  if [ $# -gt 0 ]; then targets=(--target "$@"); fi
  say "configuring build/dev"
  cmake --preset dev -Wno-dev --log-level=WARNING >"$root/build/configure.log" 2>&1 || {
    cat "$root/build/configure.log" >&2
    die "cmake could not configure the build; the reason is above"
  }
  say "building ${*:-everything}"
  cmake --build --preset dev "${targets[@]}"
}
