#!/usr/bin/env bash
# Installs what the tests need and runs them all: formatting, lints, documentation, tests, examples, benchmarks once.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Programs, with the packages that have them.
missing=""
needs() { command -v "$1" >/dev/null || missing="$missing $2"; }
has_driver() { compgen -G '/usr/share/vulkan/icd.d/*.json' || compgen -G '/etc/vulkan/icd.d/*.json'; }
needs jq jq
needs cc "gcc libc6-dev"
python3 -c 'import ensurepip, venv' 2>/dev/null || missing="$missing python3 python3-venv"
if [ "$(uname -s)" = Linux ]; then
  needs pkg-config pkg-config
  has_driver >/dev/null || missing="$missing mesa-vulkan-drivers libvulkan1"
  # What windows take, on a display without a screen.
  needs Xvfb xvfb
  libraries="$(PATH="$PATH:/usr/sbin:/sbin" ldconfig -p 2>/dev/null || true)"
  # Where nothing tells which there are, tests of windows do.
  has_library() { [[ -z "$libraries" || "$libraries" == *"$1"* ]] || missing="$missing $2"; }
  has_library libX11.so.6 libx11-6
  has_library libX11-xcb.so.1 libx11-xcb1
  has_library libXcursor.so.1 libxcursor1
  has_library libXi.so.6 libxi6
  has_library libxkbcommon-x11.so.0 libxkbcommon-x11-0
  # What several processes take: MPI, and what reads its headers.
  needs mpirun "openmpi-bin libopenmpi-dev"
  needs mpicc libopenmpi-dev
  needs clang "clang libclang-dev"
fi
if [ -n "$missing" ]; then
  command -v apt-get >/dev/null || { echo "install these, or what has the same programs:$missing"; exit 1; }
  echo "installing$missing"
  as_root=""
  [ "$(id -u)" = 0 ] || as_root=sudo
  $as_root apt-get update -qq
  # shellcheck disable=SC2086
  $as_root apt-get install -y -qq --no-install-recommends $missing
fi
export XDG_RUNTIME_DIR="${XDG_RUNTIME_DIR:-/tmp}"

# The features and packages of the tests, the same in all steps and in the scripts called below, so that nothing is built twice.
features=cuda,window
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
  features=$features,mpi
else
  echo "there is no MPI: SEVERAL PROCESSES WERE NOT TESTED"
fi
export MYRMEX_TEST_FEATURES=$features
MYRMEX_TEST_PACKAGES="-p myrmex"
# Elsewhere what Python loads is linked as maturin alone knows.
if [ "$(uname -s)" = Linux ]; then
  MYRMEX_TEST_PACKAGES="$MYRMEX_TEST_PACKAGES -p myrmex-python"
  export PYO3_BUILD_EXTENSION_MODULE=1
fi
export MYRMEX_TEST_PACKAGES
# shellcheck disable=SC2206
tested=($MYRMEX_TEST_PACKAGES --features $features)

# Runs a command and tells how long it took.
step() {
  local began=$SECONDS
  "$@"
  echo "--- $((SECONDS - began)) s: $*"
}

# The same beside others. What it said is told when `together` waits for all of them.
jobs=()
logs="$(mktemp -d)"
beside() {
  local log="$logs/${#jobs[@]}"
  step "$@" >"$log" 2>&1 &
  jobs+=($!)
}
together() {
  local failed=0 job
  for job in "${!jobs[@]}"; do
    wait "${jobs[$job]}" || failed=1
    cat "$logs/$job"
  done
  jobs=()
  return $failed
}

step cargo fmt --all --check
# The CUDA backend needs neither toolkit nor driver to build; its kernels are translated in the tests, and run on a machine
# that has the driver: MYRMEX_TEST_BACKEND=cuda.
# With the tests' profile, so that macros and build scripts are compiled once.
step cargo clippy --profile test "${tested[@]}" -p myrmex-python -p myrmex-capi -p myrmex-header --all-targets -- -D warnings
# With an example, which takes what tests take.
RUSTDOCFLAGS="-D warnings" step cargo doc --profile test --no-deps "${tested[@]}" --lib --example devices --quiet

# Shaders as browsers get them, for the page's tests below.
MYRMEX_BROWSER_SHADERS="$(mktemp)"
export MYRMEX_BROWSER_SHADERS
step cargo test "${tested[@]}" --no-run
# Many tests keep one core busy, or wait for a device.
export RUST_TEST_THREADS="${RUST_TEST_THREADS:-$((2 * $(getconf _NPROCESSORS_ONLN)))}"
# With shaders as builds without debug assertions make them: nothing bounds their loops but what they count themselves. Kernels that tests break, whose
# loops may be endless, have bounds; those that run behind broken ones of a pack have them in a run of their own, and the first example below has them.
MYRMEX_UNBOUNDED_LOOPS=1 step cargo test "${tested[@]}" --tests -- --skip broken_kernels_of_packs
step cargo test "${tested[@]}" --doc
step cargo test "${tested[@]}" --tests --quiet -- broken_kernels_of_packs
# The benchmark libraries are not part of the project: their tests run where these are at hand.
data="${MYRMEX_DATA:-../shared/data}"
if [ -d "$data/tsplib" ] && [ -d "$data/qaplib" ]; then
  MYRMEX_DATA="$(cd "$data" && pwd)"
  export MYRMEX_DATA
  step cargo test "${tested[@]}" --test all -- --ignored tsplib:: qaplib:: quality:: bound::
else
  echo "TSPLIB and QAPLIB are not at hand, MYRMEX_DATA does not name their folder: the tests that need them were ignored above"
fi
# What the wheel that is handed out is compiled from, without the program's feature, and beside it the page for browsers, in a browser, where the Rust toolchain can compile for one.
target=wasm32-unknown-unknown
beside cargo clippy --quiet --profile quick -p myrmex-python -- -D warnings
if [ -d "$(rustc --print target-libdir --target $target)" ] || rustup target add $target; then
  beside bash web/test.sh "$MYRMEX_BROWSER_SHADERS"
else
  echo "the Rust target $target is not installed and could not be added: THE PAGE WAS NOT TESTED"
fi
# As 'cargo test' has compiled them.
example() { step "${CARGO_TARGET_DIR:-target}/debug/examples/$1" "${@:2}"; }
example same_answer_everywhere
# What tests have compiled need not be compiled again with bounds.
export MYRMEX_UNBOUNDED_LOOPS=1
example embed_existing_device
example devices
example solve_tsp
example solve_qap
example hospital_floor
example paper_tables --table all --quick --plan >/dev/null
example paper_tables --table amp-7 --only lin318,d198 --quick --device cpu --results "$(mktemp)"
example paper_tables --table qap-5,qap-6 --only tai40a --columns products,mata,tabu/products --quick --device cpu --results "$(mktemp)"
# Charts of the pages are those of their table.
for chart in "usa13509 19982859 docs/usa13509.svg" "pla33810 66048945 docs/results/pla33810.svg"; do
  read -r instance best drawn <<<"$chart"
  again="$(mktemp)"
  example gap_chart docs/results/race.csv "$instance" "$best" "$again"
  cmp "$again" "$drawn"
done
step cargo bench --profile test "${tested[@]}" --bench kernels -- --test
# The C library, as programs in C see it.
step capi/test.sh
# The Python package: its wheel, installed in an environment of its own, and its tests there. It brings tools from PyPI.
beside python/build.sh --quick
together
# With nothing beside it.
step python/build.sh --timed
echo "all done in $SECONDS s"
