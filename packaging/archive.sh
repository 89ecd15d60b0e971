#!/usr/bin/env bash
# Packs the program with its manual page and completions, and the C library with its header and example, into one archive of target/packages.
#   packaging/archive.sh                  for this system, built for it with the profile dist
#   packaging/archive.sh TARGET           for another one, whose programs run here, too
#   PROFILE=test packaging/archive.sh     of what the tests have built
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${CARGO_TARGET_DIR:-target}"
profile="${PROFILE:-dist}"
host="$(rustc -vV | sed -n 's/^host: //p')"
target="${1:-$host}"

build=(cargo build --locked --quiet --profile "$profile" -p myrmex -p myrmex-capi --features "cuda,window" --lib --bins)
built="$out/$profile"
# Named with a test, it is built from what 'cargo test' has compiled.
[ "$profile" != test ] || { build+=(--test layers); built="$out/debug"; }
if [ "$target" != "$host" ]; then
  build+=(--target "$target")
  built="$out/$target/${built##*/}"
fi
"${build[@]}"

program="$built/myrmex"
[ ! -f "$program.exe" ] || program="$program.exe"
version="$("$program" --version | tr -d '\r' | cut -d' ' -f2)"
name="myrmex-$version-$target"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
root="$folder/$name"
mkdir -p "$root/completions" "$root/c"
cp "$program" README.md CHANGELOG.md LICENSE "$root"
cp src/report/font/LICENSE "$root/LICENSE-font"
packaging/licences.sh "$target" >"$root/THIRD-PARTY"
"$program" man >"$root/myrmex.1"
# Those of its commands, which that one names.
for command in $("$program" man | sed -n 's/^myrmex\\-\([a-z]*\)(1)$/\1/p'); do
  "$program" man "$command" >"$root/myrmex-$command.1"
done
[ -s "$root/myrmex-solve.1" ]
for shell in bash zsh fish powershell; do "$program" completions "$shell" >"$root/completions/myrmex.$shell"; done

# What there is of the C library on this system.
cp capi/include/myrmex.h capi/examples/solve.c capi/README.md "$root/c"
for file in libmyrmex_capi.so libmyrmex_capi.dylib libmyrmex_capi.a myrmex_capi.dll myrmex_capi.dll.lib myrmex_capi.lib; do
  [ ! -f "$built/$file" ] || cp "$built/$file" "$root/c"
done
compgen -G "$root/c/*myrmex_capi*" >/dev/null || { echo "packaging/archive.sh: there is no C library in $built" >&2; exit 1; }

mkdir -p "$out/packages"
archive="$out/packages/$name.tar.gz"
tar -C "$folder" -czf "$archive" "$name"
# What was packed runs.
mkdir "$folder/unpacked"
tar -C "$folder/unpacked" -xzf "$archive"
[ "$("$folder/unpacked/$name/${program##*/}" --version | tr -d '\r')" = "myrmex $version" ]
echo "$archive: $(wc -c <"$archive") bytes"
