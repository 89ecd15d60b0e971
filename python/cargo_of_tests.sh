#!/bin/sh
# cargo as maturin calls it for 'python/build.sh --quick': what it asks for is built with the packages and features of the tests, so that it
# is linked with what 'cargo test' has compiled.
[ "$1" = rustc ] || exec cargo "$@"
shift
# shellcheck disable=SC2086
exec cargo build "$@" -p myrmex-python $MYRMEX_TEST_PACKAGES --features "$MYRMEX_TEST_FEATURES" --test layers
