#!/usr/bin/env bash
# Builds the C library and installs it with its header and a file for pkg-config. For systems with ELF libraries, as Linux has them.
#   capi/install.sh            in /usr/local, with the profile dist
#   capi/install.sh PREFIX     in this folder
# DESTDIR comes before all paths, as makers of packages need it. PROFILE=test takes what the tests have built.
set -euo pipefail
if [ "$(uname -s)" != Linux ]; then
  echo "capi/install.sh: this is for Linux; elsewhere 'cargo build --release -p myrmex-capi' makes the libraries, in target/release" >&2
  exit 1
fi
prefix="$(realpath -m "${1:-/usr/local}")"
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target="${CARGO_TARGET_DIR:-target}"
profile="${PROFILE:-dist}"

version="$(sed -n 's/^version = "\(.*\)"/\1/p' capi/Cargo.toml | head -n 1)"
name="libmyrmex_capi.so.${version%.*}"
build=(cargo build --locked --quiet --profile "$profile" -p myrmex-capi --lib)
built="$target/$profile"
# Named with the packages that were tested and one of their tests, it is built from what 'cargo test' has compiled.
if [ "$profile" = test ]; then
  # shellcheck disable=SC2206
  build+=(${MYRMEX_TEST_PACKAGES:--p myrmex} --features "${MYRMEX_TEST_FEATURES:-cuda,window}" --test layers)
  built="$target/debug"
fi
MYRMEX_SONAME="$name" "${build[@]}"

root="${DESTDIR:-}$prefix"
install -Dsm755 "$built/libmyrmex_capi.so" "$root/lib/libmyrmex_capi.so.$version"
ln -sf "libmyrmex_capi.so.$version" "$root/lib/$name"
ln -sf "$name" "$root/lib/libmyrmex_capi.so"
install -Dm644 "$built/libmyrmex_capi.a" "$root/lib/libmyrmex_capi.a"
strip --strip-debug "$root/lib/libmyrmex_capi.a"
install -Dm644 capi/include/myrmex.h "$root/include/myrmex.h"
install -Dm644 /dev/stdin "$root/lib/pkgconfig/myrmex.pc" <<PC
prefix=$prefix
libdir=\${prefix}/lib
includedir=\${prefix}/include

Name: myrmex
Description: finds short tours (TSP) and good assignments (QAP) on any GPU or CPU
Version: $version
Cflags: -I\${includedir}
Libs: -L\${libdir} -lmyrmex_capi
Libs.private: -lgcc_s -lutil -lrt -lpthread -lm -ldl -lc
PC
echo "installed in $root: include/myrmex.h, lib/libmyrmex_capi.{so,a}, lib/pkgconfig/myrmex.pc"
# Programs look for libraries of the system where its list says.
case "${DESTDIR:-}$prefix" in
  /usr | /usr/local) echo "run 'ldconfig' as root, so that programs find the library" ;;
esac
