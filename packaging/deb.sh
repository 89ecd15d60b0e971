#!/usr/bin/env bash
# Makes a Debian package of the program with its manual page and completions for bash, zsh and fish, in target/packages, and looks into it.
#   packaging/deb.sh            of a program built for it, with the profile dist
#   packaging/deb.sh PROGRAM    of this one
# DEB_MAINTAINER='Name <address>' says who maintains the package.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
target="${CARGO_TARGET_DIR:-target}"

program="${1:-}"
if [ -z "$program" ]; then
  cargo build --locked --profile dist --features cuda,window --bin myrmex
  program="$target/dist/myrmex"
fi
version="$("$program" --version | cut -d' ' -f2)"
architecture="$(dpkg --print-architecture)"
mkdir -p "$target/packages"
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
root="$folder/files" share="$folder/files/usr/share"

install -Ds "$program" "$root/usr/bin/myrmex"
put() { install -Dm644 /dev/stdin "$1"; }
"$program" man | gzip -9n | put "$share/man/man1/myrmex.1.gz"
for command in $("$program" man | sed -n 's/^myrmex\\-\([a-z]*\)(1)$/\1/p'); do
  "$program" man "$command" | gzip -9n | put "$share/man/man1/myrmex-$command.1.gz"
done
"$program" completions bash | put "$share/bash-completion/completions/myrmex"
"$program" completions zsh | put "$share/zsh/vendor-completions/_myrmex"
"$program" completions fish | put "$share/fish/vendor_completions.d/myrmex.fish"
{ cat LICENSE; printf '\nThe letters in PNG pictures:\n\n'; cat src/report/font/LICENSE; } | put "$share/doc/myrmex/copyright"
packaging/licences.sh | gzip -9n | put "$share/doc/myrmex/third-party.gz"
gzip -9nc CHANGELOG.md | put "$share/doc/myrmex/changelog.gz"

# The newest version of the C library that the program asks for.
libc="$(objdump -T "$root/usr/bin/myrmex" | grep -o 'GLIBC_[0-9.]*' | cut -d_ -f2 | sort -V | tail -n 1)"
put "$root/DEBIAN/control" <<CONTROL
Package: myrmex
Version: $version
Architecture: $architecture
Maintainer: ${DEB_MAINTAINER:-The Myrmex authors}
Section: science
Priority: optional
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= $libc), libgcc-s1
Recommends: libvulkan1, libx11-6, libx11-xcb1, libxcursor1, libxi6, libxkbcommon-x11-0
Description: finds short tours and good assignments on any GPU or CPU
 Solves the travelling salesman problem (TSP) and the quadratic assignment
 problem (QAP) by Lin-Kernighan search, edge assembly crossover and ant
 colonies, through Vulkan, CUDA, or on the CPU alone.
CONTROL
package="$target/packages/myrmex_${version}_$architecture.deb"
dpkg-deb --root-owner-group -Zxz --build "$root" "$package" >/dev/null

# What was packed is there and runs.
dpkg-deb -x "$package" "$folder/unpacked"
[ "$("$folder/unpacked/usr/bin/myrmex" --version)" = "myrmex $version" ]
for page in myrmex myrmex-solve; do gzip -dc "$folder/unpacked/usr/share/man/man1/$page.1.gz" | grep -q '^\.TH'; done
for file in bash-completion/completions/myrmex zsh/vendor-completions/_myrmex fish/vendor_completions.d/myrmex.fish; do
  grep -q resume "$folder/unpacked/usr/share/$file"
done
echo "$package: $(stat -c %s "$package") bytes"
