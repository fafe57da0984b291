#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# replace_binary.sh [--wait] [after|before]: runs a copy of `counted` (100 calls) whose file is replaced by another one
# of the same content after the start (after: once the tester has attached; before: earlier than that). Then the new file
# runs too (50 calls), as another process: none of its calls belongs to the first. "pid N" is the first one.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
wait=no
if [ "${1:-}" = --wait ]; then
  wait=yes
  shift
fi
when=${1:-after}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/counted" "$folder/app"
mkfifo "$folder/start" "$folder/said"

replace() {
  cp "$here/counted" "$folder/new"
  mv "$folder/new" "$folder/app"
}

"$folder/app" --wait 100 1 <"$folder/start" >"$folder/said" &
first=$!
exec 3>"$folder/start" 4<"$folder/said"
read -r pid_line <&4
if [ "$when" = before ]; then replace; fi
if [ $wait = yes ]; then
  echo "$pid_line"
  read -r line || true
fi
if [ "$when" = after ]; then replace; fi

"$folder/app" 50 1
echo >&3
read -r said <&4
status=0
wait "$first" || status=$?
echo "$said"
exit $status
