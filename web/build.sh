#!/usr/bin/env bash
# Builds the page: WebAssembly and the JavaScript that loads it, into web/www/pkg. Any static server can serve web/www then.
#   web/build.sh           the page that is handed out
#   web/build.sh --quick   one that is soon compiled: for web/test.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

target=wasm32-unknown-unknown
if [ ! -d "$(rustc --print target-libdir --target $target)" ]; then
  rustup target add $target || { echo "web/build.sh: the Rust target $target is not installed and could not be added: no page" >&2; exit 1; }
fi
profile=release
[ "${1:-}" != --quick ] || profile=quick
# What packs the module is built beside it.
cargo build --locked --quiet -p pack &
packs=$!
said="$(cargo build --locked --quiet --profile $profile --target $target 2>&1)" || { echo "$said" >&2; exit 1; }
[ -z "$said" ] || echo "$said" >&2
# What only builds for browsers leave unused is told nowhere else.
if [ $profile = quick ] && grep -q '^warning' <<<"$said"; then
  echo "web/build.sh: the compiler warns of what is above" >&2
  exit 1
fi
wait "$packs"
cargo run --locked --quiet -p pack -- target/$target/$profile/myrmex_web.wasm www/pkg
bytes=$(gzip -9 -c www/pkg/myrmex_web_bg.wasm | wc -c)
echo "web/www is ready: $((bytes >> 10)) KiB of WebAssembly, compressed by gzip"
# What a phone loads within seconds.
[ "$bytes" -lt $((2 << 20)) ] || { echo "web/build.sh: more than 2 MiB" >&2; exit 1; }
