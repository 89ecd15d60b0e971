#!/usr/bin/env bash
# Checks that the library, the program and the C library compile for other systems; adds the Rust targets that are missing. Nothing is
# linked, so it takes no linker or headers of theirs.
#   packaging/cross_check.sh              for all of these
#   packaging/cross_check.sh TARGET...
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
[ $# -gt 0 ] || set -- x86_64-pc-windows-gnu aarch64-apple-darwin aarch64-unknown-linux-gnu aarch64-linux-android

failed=""
for target in "$@"; do
  [ -d "$(rustc --print target-libdir --target "$target")" ] || rustup target add "$target"
  for what in "-p myrmex --lib --no-default-features" "-p myrmex --lib --bins --features cuda" "-p myrmex-capi"; do
    # shellcheck disable=SC2086
    if cargo check --quiet --locked --target "$target" $what; then
      echo "$target: $what: ok"
    else
      echo "$target: $what: FAILED"
      failed="$failed $target"
    fi
  done
done
[ -z "$failed" ] || { echo "packaging/cross_check.sh: failed for$failed" >&2; exit 1; }
