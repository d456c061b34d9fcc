# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# What the steps of CI share. To be sourced by bash.
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/build.sh"

include_options=(-Isrc -Isrc/{common,algebra,gpu,scan,filters,columns,sliding,wavefront,sor,imaging,alignment,mpi} -Ibuild/dev/generated)

cache=${XDG_CACHE_HOME:-$HOME/.cache}/wavescan # what is fetched once

kokkos_include_folder() { scripts/lib/provide-kokkos | sed 's|$|/include/kokkos|'; }

# Options with which nvcc makes no code, for device and host.
check_only=(-c -fdevice-syntax-only -Xcompiler -fsyntax-only)

skip() { echo "skipped: $*"; exit 0; }

# for_each_file COMMAND... < FILES: runs the command, with the file's name appended, for each line of
# standard input, several at once; fails where one of them fails.
for_each_file() {
  xargs -P "$(parallel_jobs)" -d '\n' -n 1 "$@"
}

# join_sources FILE...: one source of several, because what takes longest is to read the headers.
# Compilers name the files' own lines.
join_sources() {
  grep --no-filename '^#include' "$@" | sort --unique
  local file
  for file; do
    echo "#line 1 \"$file\""
    sed 's/^#include.*//' "$file"
  done
}

# The files that use every operation on one process, a folder for each layer.
device_files() { find .ci/device -name '*.cpp' -not -path '*/mpi/*' | sort; }

# Makes as many sources as there are cores of these files, and names them.
# Neighbours in the alphabet, which cost about the same, get into different ones.
device_sources() {
  local files groups group k
  readarray -t files < <(device_files)
  groups=$(nproc)
  mkdir -p build/ci/device
  for ((group = 0; group < groups; ++group)); do
    local joined=()
    for ((k = group; k < ${#files[@]}; k += groups)); do joined+=("${files[k]}"); done
    join_sources "${joined[@]}" >"build/ci/device/group_$group.cpp"
    echo "build/ci/device/group_$group.cpp"
  done
}

# provide_root SUITE PACKAGE...: puts that suite of Debian with these packages into the folder $root,
# for compilers that this system lacks; that is done once and kept in the user's cache folder.
# "${in_root[@]}" before a command runs it there, in the folder $work.
provide_root() {
  local suite=$1 packages=${*:2} site
  root=$cache/debian-$suite
  [[ $(id -u) == 0 ]] || skip "making a root of Debian $suite needs root"
  if [[ $packages != "$(cat "$root/complete" 2>/dev/null)" ]]; then
    command -v debootstrap >/dev/null || (need debootstrap) || skip "debootstrap is not installed"
    site=$(apt-get indextargets --format '$(SITE) $(RELEASE)' 'Created-By: Packages' |
           awk '$2 !~ /security/ && !found++ { print $1 }')
    [[ -n $site ]] || skip "apt has no sources on this machine"
    echo "-- Making a root of Debian $suite in $root"
    rm -rf "$root"
    mkdir -p "$root"
    timeout 900 debootstrap --variant=minbase --include="${packages// /,}" \
      "$suite" "$root" "$site" >"$root.log" 2>&1 </dev/null ||
      { tail -n 5 "$root.log"; skip "debootstrap did not succeed"; }
    echo "$packages" >"$root/complete"
  fi
  work=$(mktemp -d "$root/wavescan.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  in_root=(chroot "$root" env --chdir="/${work##*/}")
}
