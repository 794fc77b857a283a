#!/bin/sh
# Brings the peers from their registries into the folder $1; what cannot be had is named at the end and left out of the bench.
# What is there already is kept: delete the folder to begin anew.
set -u
bench=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/lib" "$1/source" && cd "$1" || exit 1
here=$PWD
missing=

# make NAME FUNCTION…: runs it once, in a subshell that stops at the first failure; its words go to NAME.log.
make_once() {
    name=$1; shift
    [ -e "$here/$name.done" ] && return
    echo "bringing $name"
    (set -e; cd "$here"; "$@") > "$here/$name.log" 2>&1
    if [ $? = 0 ]; then touch "$here/$name.done"; else missing="$missing $name"; fi
}

environment() {
    python3 -m venv python
    python/bin/python -m pip install --disable-pip-version-check numpy scipy matplotlib
}

from_pypi() {
    python/bin/python -m pip install --disable-pip-version-check "$@"
}

# IPP looks for its parts by names with one number more than those in the package.
ipp() {
    from_pypi ipp
    for library in python/lib/libipp*.so.12; do ln -sf "$(basename "$library")" "$library.1"; done
}

# Debian's binary has neither AVX2 nor AVX-512 in every transform, so its source is built.
fftw_source() {
    signed=/usr/share/keyrings/debian-archive-keyring.gpg
    echo "deb-src [signed-by=$signed] http://deb.debian.org/debian bookworm main" > sources.list
    mkdir -p apt/lists/partial source/fftw
    set -- -o Dir::Etc::sourcelist="$here/sources.list" -o Dir::Etc::sourceparts=- -o Dir::State::lists="$here/apt/lists" \
        -o Dir::Cache="$here/apt"
    apt-get "$@" update
    (cd source && apt-get "$@" source --download-only fftw3)
    tar xzf source/fftw3_*.orig.tar.gz -C source/fftw --strip-components=1
}

# fftw PRECISION-FLAG
fftw() {
    mkdir -p "build$1" && cd "build$1"
    "$here/source/fftw/configure" --prefix="$here" --libdir="$here/lib" --enable-shared --disable-static --disable-fortran \
        --disable-doc --enable-avx2 --enable-avx512 "$1"
    make -j"$(nproc)" install
}

ducc_source() {
    python/bin/python -m pip download --disable-pip-version-check --no-deps --no-binary ducc0 -d source "ducc0==$1"
    mkdir -p "source/ducc0-$1"
    tar xzf "source/ducc0-$1.tar.gz" -C "source/ducc0-$1" --strip-components=1
}

# ducc VERSION ARCHITECTURE LIBRARY: ducc's own flags, for one architecture.
ducc() {
    code="$here/source/ducc0-$1/src"
    # shellcheck disable=SC2046 # a list of files
    g++ -std=c++17 -O3 -ffast-math -march="$2" -fPIC -shared -pthread -I "$code" -o "lib/$3" "$bench/ducc.cpp" \
        $(ls "$code"/ducc0/fft/*.cc "$code"/ducc0/infra/*.cc 2> /dev/null)
}

make_once python environment
make_once mkl from_pypi mkl
make_once ipp ipp
make_once opencv from_pypi opencv-python-headless
make_once fftw-source fftw_source
make_once fftw-f64 fftw --disable-single
make_once fftw-f32 fftw --enable-single
for version in 0.42.0 0.35.0; do
    make_once "ducc-$version-source" ducc_source $version
    make_once "ducc-$version" ducc $version native libducc-$version.so
done
make_once ducc-avx2 ducc 0.42.0 x86-64-v3 libducc-avx2.so
[ -z "$missing" ] || echo "missing:$missing (see the logs in $here)"
