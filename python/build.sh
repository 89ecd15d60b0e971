#!/usr/bin/env bash
# Builds the wheel of the Python package with the program in it, installs it in a virtual environment of its own, and tests it there.
#   python/build.sh           the wheel that is handed out, in target/wheels
#   python/build.sh --quick   one of what 'cargo test' has compiled, without the tests that measure time: a step of tests/run.sh
#   python/build.sh --timed   those tests, of what was installed before: a step of its own there, beside which nothing runs
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target="${CARGO_TARGET_DIR:-target}"
target="$(mkdir -p "$target" && cd "$target" && pwd)"
folder="$target/python"

# Where an environment has its programs: Windows calls the folder otherwise.
programs() { if [ -d "$folder/env/Scripts" ]; then echo "$folder/env/Scripts"; else echo "$folder/env/bin"; fi; }
# An environment with what builds and what tests, made once for each list.
wanted="maturin>=1.9.4,<2 numpy pandas pytest mypy jsonschema"
if [ "$(cat "$folder/wanted" 2>/dev/null)" != "$wanted" ]; then
  rm -rf "$folder"
  python3 -m venv "$folder/env"
  # shellcheck disable=SC2086
  "$(programs)/python" -m pip install --quiet --disable-pip-version-check $wanted
  echo "$wanted" >"$folder/wanted"
fi
bin="$(programs)"
python="$bin/python"
if [ "${1:-}" = --timed ]; then
  cd python
  exec "$python" -m pytest -m timed
fi

if [ "${1:-}" = --quick ]; then
  profile=test wheels="$folder/wheels" tests=(-m "not timed")
  export MYRMEX_TEST_FEATURES="${MYRMEX_TEST_FEATURES:-cuda,window}" MYRMEX_TEST_PACKAGES="${MYRMEX_TEST_PACKAGES:--p myrmex}"
  # Elsewhere maturin links what Python loads as it alone knows.
  if [ "$(uname -s)" = Linux ]; then
    CARGO="$PWD/python/cargo_of_tests.sh"
    export CARGO
  fi
  # shellcheck disable=SC2086
  cargo test --quiet --no-run $MYRMEX_TEST_PACKAGES --features "$MYRMEX_TEST_FEATURES" --test all
  PROGRAM="$target/debug/myrmex" python/program.sh
  strip python/myrmex.data/scripts/myrmex
else
  profile=dist wheels="$target/wheels" tests=()
  python/program.sh
fi
rm -rf "$wheels"
said="$("$bin/maturin" build --quiet --locked --manifest-path python/Cargo.toml --profile "$profile" --out "$wheels" 2>&1)" || { echo "$said" >&2; exit 1; }
# Packages that the tests alone take surprise maturin.
[ -z "$said" ] || grep -v "wasn't listed in .cargo metadata" <<<"$said" >&2 || true

# In place of what an earlier call has installed; the tests see no file of the package but these.
"$python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheels"/myrmex_solver-*.whl
cd python
"$python" -m pytest ${tests[@]+"${tests[@]}"}
cd "$folder"
"$python" -m pytest -q --doctest-modules --pyargs myrmex
"$python" -m mypy --strict --no-error-summary -p myrmex
"$python" -m mypy.stubtest myrmex
ls -l "$wheels"
