#!/usr/bin/env bash
# Builds the page and tests it in a headless Chromium, on the CPU and on WebGPU in software. Installs what is missing: Chromium and Node by
# apt-get, the library that drives Chromium by npm, the Rust target by rustup. What cannot be installed ends it with an error.
# A file as argument has shaders that Chromium has to take (tests/shaders.rs writes it).
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

missing=""
needs() { command -v "$1" >/dev/null || missing="$missing $2"; }
needs chromium chromium
needs node nodejs
needs npm npm
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || { echo "web/test.sh: install these, or what has the same programs:$missing" >&2; exit 1; }
  echo "installing$missing"
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  $as_root apt-get install -y -qq --no-install-recommends $missing
fi
[ -d tests/node_modules/playwright-core ] || npm install --prefix tests --no-package-lock --no-audit --no-fund --silent
bash build.sh --quick
cargo fmt --all --check
node tests/browser.mjs "$@"
