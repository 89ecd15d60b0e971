#!/usr/bin/env bash
# Lists what goes into what is handed out, a software bill of materials in the form of CycloneDX, in target/packages: of the program and of the C
# library, each with the features that packages have, and of the page for browsers. It asks cargo-cyclonedx 0.5, and looks into what that wrote. A wheel
# has one that maturin puts into it.
#   packaging/sbom.sh               for this system
#   packaging/sbom.sh TARGET...     for others
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out="${CARGO_TARGET_DIR:-target}/packages"
mkdir -p "$out"
out="$(cd "$out" && pwd)"
[ $# -gt 0 ] || set -- "$(rustc -vV | sed -n 's/^host: //p')"

# NAME MANIFEST TARGET FEATURES: what is linked, for one target; not what only builds it.
list() {
  local written
  cargo cyclonedx --quiet --format json --spec-version 1.5 --no-build-deps --manifest-path "$2" --target "$3" ${4:+--features "$4"} \
    --override-filename sbom
  written="$(dirname "$2")/sbom.json"
  # Packages are told apart by the folders that they lie in, which are not this machine's.
  sed "s#file://$PWD#file:///myrmex#g" "$written" >"$out/$1.cdx.json"
  # Packages of the workspace that were not asked for have one, too.
  find . -name sbom.json -not -path './target/*' -delete
}

for target in "$@"; do
  list "myrmex-$target" Cargo.toml "$target" cuda,window
  list "myrmex-capi-$target" capi/Cargo.toml "$target" cuda
done
list "myrmex-web" web/Cargo.toml wasm32-unknown-unknown ""

for file in "$out"/*.cdx.json; do
  # Each names its own package, and every component its version and licence.
  jq -e '.metadata.component.name as $own | ($own | startswith("myrmex")) and (.components | length > 20)
    and all(.components[]; .version != null and (.licenses | length) > 0)
    and any(.components[]; .name == "naga")' "$file" >/dev/null || { echo "packaging/sbom.sh: $file lacks something" >&2; exit 1; }
  # Which paths it was made in is nobody's business.
  ! grep -q "$PWD" "$file" || { echo "packaging/sbom.sh: $file tells of this machine's folders" >&2; exit 1; }
  echo "$file: $(jq '.components | length' "$file") components"
done
