#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# Runs a command three times at once; fails if one of the runs does.
#
#   usage: three_at_once.sh COMMAND...

"$@" &
first=$!
"$@" &
second=$!
"$@"
status=$?
wait $first || status=1
wait $second || status=1
exit $status
