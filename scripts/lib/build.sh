# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# What the scripts share: finding or installing tools, providing Kokkos, configuring and building.
# To be sourced by bash; leaves the caller in the top folder of the checkout.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export CMAKE_COLOR_DIAGNOSTICS=${CMAKE_COLOR_DIAGNOSTICS:-OFF}

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\nerror: %s\n' "$*" >&2; exit 1; }

# What the program wavescan needs.
tool_packages=(libpng-dev libcairo2-dev libcli11-dev nlohmann-json3-dev)

# What the tests of several processes need; without it they are left out.
mpi_packages=(libopenmpi-dev openmpi-bin)

# What the Python package is built and tested with.
python_packages=(python3 python3-venv python3-dev)

# need PACKAGE...: Debian packages; what is missing is installed, or named together with the command.
need() {
  if ! command -v apt-get >/dev/null; then
    need_commands
    return
  fi
  local missing=() package
  for package in "$@"; do
    is_there "$package" || missing+=("$package")
  done
  [[ ${#missing[@]} -gt 0 ]] || return 0
  if [[ $(id -u) != 0 ]]; then
    fail "these packages are missing; please run
  sudo apt-get update && sudo apt-get install --yes --no-install-recommends ${missing[*]}"
  fi
  say "Installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq </dev/null
  apt-get install --yes --no-install-recommends -qq "${missing[@]}" </dev/null >/dev/null
}

# A tool counts wherever it comes from, a library only as a package.
is_there() {
  case $1 in
    g++) command -v "${CXX:-c++}" >/dev/null ;;
    cmake | python3) command -v "$1" >/dev/null ;;
    ninja-build) command -v ninja >/dev/null ;;
    python3-venv) python3 -c 'import ensurepip, venv' 2>/dev/null ;;
    python3-dev)
      [[ -e $(python3 -c 'import sysconfig; print(sysconfig.get_path("include"))')/Python.h ]] ;;
    *) [[ $(dpkg-query --show --showformat='${db:Status-Status}' "$1" 2>/dev/null) == installed ]] ;;
  esac
}

need_commands() {
  local command missing=()
  for command in "${CXX:-c++}" cmake ninja; do
    command -v "$command" >/dev/null || missing+=("$command")
  done
  if [[ ${#missing[@]} -gt 0 ]]; then
    fail "please install ${missing[*]} with your system's package manager" \
      "(a C++20 compiler, CMake 3.25 or newer, Ninja; libpng, Cairo, CLI11 and nlohmann-json with their headers)"
  fi
}

# As many compilers at once as there are cores and memory for: one takes up to 2 GB.
parallel_jobs() {
  if [[ ! -r /proc/meminfo ]]; then nproc; return; fi
  awk -v cores="$(nproc)" '/^MemAvailable/ { n = int($2 / 2e6) }
    END { if (n < 1) n = 1; print n < cores ? n : cores }' /proc/meminfo
}

# Leaves CMake able to find Kokkos: the user's or the system's own, else Debian's package in a
# private folder, else CMake downloads the upstream release.
kokkos_options=()
provide_kokkos() {
  local probe=build/kokkos-probe root
  if [[ -n ${Kokkos_ROOT:-} || -n ${Kokkos_DIR:-} ]]; then
    echo "-- Kokkos as the environment says: ${Kokkos_ROOT:-$Kokkos_DIR}"
    return
  fi
  if [[ ! -e build/kokkos/complete ]]; then
    mkdir -p $probe
    cat >$probe/CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.25)
project(Probe LANGUAGES CXX)
find_package(Kokkos 5.0 REQUIRED)
END
    if cmake -S $probe -B $probe/build --fresh -G Ninja >$probe/log 2>&1; then
      echo "-- Kokkos is installed on this system"
      return
    fi
  fi
  if root=$(scripts/lib/provide-kokkos); then
    export Kokkos_ROOT=$root
  else
    echo "-- CMake will download Kokkos and build it (or set Kokkos_ROOT to one of yours)"
    kokkos_options=(-DKokkos_ENABLE_OPENMP=ON)
  fi
}

# Repeated builds are shorter with ccache, where it is installed. It takes precompiled headers if it is
# told to. (With CUDA Kokkos' own launcher would not hand files to nvcc.)
use_ccache() {
  if command -v ccache >/dev/null && [[ $1 != cuda && -z ${CMAKE_CXX_COMPILER_LAUNCHER:-} ]]; then
    export CMAKE_CXX_COMPILER_LAUNCHER="env;CCACHE_SLOPPINESS=pch_defines,time_macros;ccache"
  fi
}

# build PRESET [TARGET...]
build() {
  local preset=$1
  shift
  use_ccache "$preset"
  say "Configuring ($preset)"
  cmake --preset "$preset" "${kokkos_options[@]}" || fail "CMake could not configure; see above." \
    "If Kokkos is what it lacks: install version 5 or newer and set Kokkos_ROOT to its folder," \
    "or set FETCHCONTENT_SOURCE_DIR_KOKKOS to its sources (cmake --preset $preset -D...)."
  say "Building ($preset, $(parallel_jobs) jobs)"
  cmake --build --preset "$preset" --parallel "$(parallel_jobs)" ${1:+--target "$@"}
}
