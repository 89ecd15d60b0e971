#!/usr/bin/env bash
# Builds the C library with what the tests are built with, and tests it as programs in C and C++ see it. It takes a C compiler.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target="${CARGO_TARGET_DIR:-target}"
cc="${CC:-cc}"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT

# The header is what the sources say.
cargo run --quiet --profile quick -p myrmex-header -- --check
# Named with the packages that were tested and one of their tests, it is built from what 'cargo test' has compiled.
# shellcheck disable=SC2206
both=(${MYRMEX_TEST_PACKAGES:--p myrmex} -p myrmex-capi --features "${MYRMEX_TEST_FEATURES:-cuda,window}")
cargo test "${both[@]}" --tests --quiet -- border:: asked:: placing:: outcome:: threads::tests
cargo build --profile test --quiet "${both[@]}" --lib --test layers
library="$target/debug"

flags=(-std=c99 -D_POSIX_C_SOURCE=200809L -O1 -g -Wall -Wextra -pedantic -Werror -Icapi/include)
# What a linker adds to the static library, as 'rustc --print native-static-libs' has it.
case "$(uname -s)" in
  Linux) system=(-lgcc_s -lutil -lrt -lpthread -lm -ldl -lc) ;;
  Darwin) system=(-framework Metal -framework QuartzCore -framework Foundation -framework CoreFoundation -framework IOKit -lobjc -liconv) ;;
  *) system=(-lm -lpthread) ;;
esac
version="$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)"

"$cc" "${flags[@]}" capi/tests/abi.c -o "$folder/shared" -L"$library" -lmyrmex_capi -lm -lpthread -Wl,-rpath,"$(cd "$library" && pwd)"
"$folder/shared" "$version" instances/clustered1000.tsp
# The same with the library in it, and with memory watched where the compiler can do that: what is not freed, or read when freed, ends it.
watch=(-fsanitize=address)
echo 'int main(void) { return 0; }' >"$folder/empty.c"
if ! { "$cc" "${watch[@]}" "$folder/empty.c" -o "$folder/empty" && "$folder/empty"; } >"$folder/log" 2>&1; then
  echo "$cc has no address sanitizer: the C library runs without it"
  watch=()
fi
"$cc" "${flags[@]}" ${watch[@]+"${watch[@]}"} capi/tests/abi.c -o "$folder/static" "$library/libmyrmex_capi.a" "${system[@]}"
"$folder/static" "$version" instances/clustered1000.tsp
"$cc" "${flags[@]}" ${watch[@]+"${watch[@]}"} capi/tests/more.c -o "$folder/more" "$library/libmyrmex_capi.a" "${system[@]}"
"$folder/more"
if [ "$(uname -s)" = Linux ] && getconf GNU_LIBC_VERSION >/dev/null 2>&1; then
  "$cc" "${flags[@]}" capi/tests/threads.c -o "$folder/threads" -L"$library" -lmyrmex_capi -lpthread -ldl -Wl,-rpath,"$(cd "$library" && pwd)"
  "$folder/threads"
fi

# The example finds what the program finds.
"$cc" "${flags[@]}" capi/examples/solve.c -o "$folder/solve" -L"$library" -lmyrmex_capi -Wl,-rpath,"$(cd "$library" && pwd)"
devices=(cpu)
if "$library/myrmex" devices | grep -q '^wgpu:'; then
  devices+=(wgpu cpu,wgpu)
else
  echo "there is no GPU, and no software driver for one: THE C LIBRARY RAN ON THE CPU ALONE"
fi
for file in instances/uniform200.tsp instances/layout40.dat; do
  "$library/myrmex" solve "$file" --iterations 20 --seed 3 --set colonies=2 --backend cpu --quiet --json "$folder/report"
  for device in "${devices[@]}"; do
    "$folder/solve" "$file" iterations=20 seed=3 colonies=2 device="$device" >"$folder/found" 2>"$folder/log"
    [ "$(sed -n 's/^cost //p' "$folder/found")" = "$(jq .cost "$folder/report")" ]
    [ "$(tail -n +5 "$folder/found" | jq -s -c .)" = "$(jq -c '[(.tour // .permutation)[]]' "$folder/report")" ]
  done
done
if "$folder/solve" instances/uniform200.tsp device=toaster 2>"$folder/log"; then
  echo "capi/test.sh: a device that is none was taken" >&2
  exit 1
fi
grep -q "device: expected 'auto'" "$folder/log"

# What the page shows does what it says.
# shellcheck disable=SC2016
sed -n '/^```c$/,/^```$/p' capi/README.md | sed '1d;$d' >"$folder/readme.c"
"$cc" "${flags[@]}" "$folder/readme.c" -o "$folder/readme" -L"$library" -lmyrmex_capi -Wl,-rpath,"$(cd "$library" && pwd)"
"$folder/readme" | grep '^length [0-9.]* on .'

# C++ takes the header, too.
if command -v c++ >/dev/null; then
  printf '#include "myrmex.h"\nint main() { return myrmex_version() == nullptr; }\n' >"$folder/header.cpp"
  c++ -Wall -Wextra -pedantic -Werror -Icapi/include "$folder/header.cpp" -o "$folder/header" -L"$library" -lmyrmex_capi \
    -Wl,-rpath,"$(cd "$library" && pwd)"
  "$folder/header"
fi

# Installed, pkg-config finds it, and programs that were linked ask for the version that they were linked with. This comes last: the library that
# was built asks to be installed, too, until it is built again.
if [ "$(uname -s)" = Linux ] && command -v pkg-config >/dev/null; then
  PROFILE=test capi/install.sh "$folder/prefix" >"$folder/log"
  export PKG_CONFIG_PATH="$folder/prefix/lib/pkgconfig"
  [ "$(pkg-config --modversion myrmex)" = "$version" ]
  # shellcheck disable=SC2046
  "$cc" "${flags[@]:0:6}" capi/examples/solve.c -o "$folder/installed" $(pkg-config --cflags --libs myrmex) -Wl,-rpath,"$folder/prefix/lib"
  rm "$folder/prefix/lib/libmyrmex_capi.so"
  "$folder/installed" instances/uniform200.tsp iterations=5 device=cpu >"$folder/found" 2>"$folder/log"
  grep -q '^cost ' "$folder/found"
fi
