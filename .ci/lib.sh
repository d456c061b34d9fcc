# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# What the steps of CI share. To be sourced by bash.
source "$(dirname "${BASH_SOURCE[0]}")/../scripts/lib/build.sh"

include_options=(-Isrc -Isrc/{common,algebra,gpu,scan,wavefront,sor,imaging,alignment} -Ibuild/dev/generated)

cache=${XDG_CACHE_HOME:-$HOME/.cache}/wavescan # what is fetched once

skip() { echo "skipped: $*"; exit 0; }

# for_each_file COMMAND... < FILES: runs the command, with the file's name appended, for each line of
# standard input, several at once; fails where one of them fails.
for_each_file() {
  xargs -P "$(parallel_jobs)" -d '\n' -n 1 "$@"
}
