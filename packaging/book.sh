#!/usr/bin/env bash
# Builds the pages of docs/, with those of the root and of the packages, as a book for a web server, in target/book. A warning of mdbook is an
# error, and so is a link that leads nowhere. It takes mdbook 0.5 (cargo install mdbook) and Python 3.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
book="${CARGO_TARGET_DIR:-$PWD/target}/book"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
pages="$folder/pages"
mkdir "$pages"

# Pages lie as they do in the repository, with the files that they lead to.
git ls-files -z --cached --others --exclude-standard README.md CHANGELOG.md CONTRIBUTING.md LICENSE docs python/README.md capi/README.md capi/include \
  src/settings src/kernels/plan | xargs -0 cp --parents -t "$pages"
mv "$pages/docs/book.toml" "$pages"
sed -e 's|](\.\./|](|; t' -e 's|](|](docs/|' "$pages/docs/SUMMARY.md" >"$pages/SUMMARY.md"
rm "$pages/docs/SUMMARY.md"
# A folder's first page is what a web server looks for.
find "$pages" -name '*.md' -exec sed -i 's|\(](\([^)]*/\)\{0,1\}\)README\.md\([)#]\)|\1index.md\3|g' {} +
find "$pages" -name README.md -execdir mv README.md index.md \;

rm -rf "$book"
mdbook build --dest-dir "$book" "$pages" 2>&1 | tee "$folder/log"
if grep -qE 'WARN|ERROR' "$folder/log"; then
  echo "packaging/book.sh: mdbook has warned" >&2
  exit 1
fi
python3 packaging/links.py "$book"
