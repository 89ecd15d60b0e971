#!/usr/bin/env bash
# Prints the licences of what is linked into the program and the C library, each text once with the crates that it is of: most of them ask to go with
# what is handed out.
#   packaging/licences.sh [TARGET]   for this system, or another one
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target="${1:-$(rustc -vV | sed -n 's/^host: //p')}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# NAME VERSION LICENCE of each crate that is linked, and NAME VERSION MANIFEST of all that are known.
cargo tree --locked -p myrmex -p myrmex-capi --features cuda,window --target "$target" -e normal,no-proc-macro --prefix none \
  --format '{p}|{l}|' | sed -n 's/^\([^ ]*\) v\([^ |]*\)[^|]*|\([^|]*\)|.*/\1 \2 \3/p' | sort -u | grep -v '^myrmex' >"$folder/linked"
cargo metadata --locked --format-version 1 --features cuda,window --filter-platform "$target" \
  | jq -r '.packages[] | "\(.name) \(.version) \(.manifest_path)"' | tr '\\' / >"$folder/known"

echo "What Myrmex is linked with, under licences of its own"
echo
sed 's/^\([^ ]*\) \([^ ]*\) /\1 \2: /' "$folder/linked"
while read -r name version _; do
  manifest="$(awk -v name="$name" -v version="$version" '$1 == name && $2 == version { $1 = $2 = ""; print substr($0, 3) }' "$folder/known")"
  [ -n "$manifest" ] || { echo "packaging/licences.sh: nothing is known of $name $version" >&2; exit 1; }
  find "$(dirname "$manifest")" -maxdepth 1 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'unlicense*' \) | sort \
    | while IFS= read -r file; do
      sum="$(tr -d '\r' <"$file" | sha256sum | cut -c1-16)"
      tr -d '\r' <"$file" >"$folder/$sum.text"
      echo "$name $version" >>"$folder/$sum.crates"
    done
done <"$folder/linked"
for text in "$folder"/*.text; do
  printf '\n---- of %s\n\n' "$(sort -u "${text%.text}.crates" | paste -sd, - | sed 's/,/, /g')"
  cat "$text"
done
# What has no text in its crate is named above, with its licence.
[ "$(grep -c '' "$folder/linked")" -gt 100 ] && ls "$folder"/*.text >/dev/null
