# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# Runs steps, functions step_NAME of the script that sources this, and says how long they took.
source "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# run_steps NAME...: one after the other; stops at the first that fails. At the end a table, with each
# step's share of its budget (.ci/budgets), in units of scripts/lib/compile-unit.
run_steps() {
  local took=()
  mkdir -p build/ci
  rm -f build/ci/*.log
  trap '[[ $? == 0 ]] || printf "\nCI failed in step: %s\n" "$step"' EXIT
  for step; do
    say "CI step: $step"
    SECONDS=0
    "step_$step"
    took+=("$step $SECONDS")
    say "CI step $step took $SECONDS s"
  done
  say "CI passed"
  printf '%s\n' "${took[@]}" | compare_with_budgets
  grep -hs 'tests passed' build/ci/*.log || true # none, where no step ran tests
}

# Reads lines of steps and seconds.
compare_with_budgets() {
  local unit=
  provide_kokkos >/dev/null # for the unit, where no step of this run needed it
  if [[ -n ${Kokkos_ROOT:-} ]]; then
    unit=$(scripts/lib/compile-unit </dev/null)
    echo "A file with Kokkos alone takes $unit s to compile: this is the unit of budgets."
  fi
  awk -v unit="$unit" '
    function row(step, seconds, budget, share) {
      if (!unit || !budget) { printf "%-16s %5d s\n", step, seconds; return }
      share = seconds / unit / budget
      printf "%-16s %5d s %6.0f units of %5d%s\n", step, seconds, seconds / unit, budget,
        (share > 1.1 ? "   OVER ITS BUDGET BY " int(100 * share - 100) " %" : "")
    }
    FNR == NR { if ($1 !~ /^#/) budget[$1] = $2; next }
    { row($1, $2, budget[$1]); sum += $2; budgets += budget[$1] }
    END { row("all", sum, budgets) }' .ci/budgets -
}
