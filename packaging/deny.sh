#!/usr/bin/env bash
# Holds the dependencies of all that is built to deny.toml: the crate, the Python package and the C library, then the page for browsers.
#   packaging/deny.sh                                          with known weaknesses, whose list comes from the network
#   packaging/deny.sh --offline licenses bans sources          without
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
offline=()
if [ "${1:-}" = --offline ]; then
  offline=(--offline)
  shift
fi
# Each of the two lacks some of what the other needs an exception for.
unused=(-A unnecessary-skip -A unmatched-skip-root -A license-exception-not-encountered)
for manifest in Cargo.toml web/Cargo.toml; do
  cargo deny ${offline[@]+"${offline[@]}"} --workspace --config deny.toml --manifest-path "$manifest" check "${unused[@]}" "$@"
done
