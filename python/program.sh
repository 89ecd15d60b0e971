#!/usr/bin/env bash
# Puts the program where maturin takes it from, so that the wheel brings it.
#   python/program.sh                      built for this system with the profile dist
#   python/program.sh TARGET               for another one
#   PROGRAM=FILE python/program.sh         this one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${CARGO_TARGET_DIR:-target}"
program="${PROGRAM:-}"
if [ -z "$program" ]; then
  build=(cargo build --locked --profile dist --features "cuda,window" --bin myrmex)
  program="$out/dist/myrmex"
  if [ $# -gt 0 ]; then
    build+=(--target "$1")
    program="$out/$1/dist/myrmex"
    # A program that is linked with musl for good cannot load a driver.
    case "$1" in *-musl) export RUSTFLAGS="${RUSTFLAGS:-} -C target-feature=-crt-static" ;; esac
  fi
  "${build[@]}"
  [ ! -f "$program.exe" ] || program="$program.exe"
fi
scripts=python/myrmex.data/scripts
rm -rf "$scripts"
mkdir -p "$scripts"
cp "$program" "$scripts"
chmod 755 "$scripts"/*
