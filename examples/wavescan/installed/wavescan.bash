# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# SPDX-FileCopyrightText: Copyright WaveScan contributors
#
# Completion of the tool wavescan for bash: commands and options, as --help tells them, and files.

_wavescan() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} tool=${COMP_WORDS[0]}
  local command="" k help choices
  for ((k = 1; k < COMP_CWORD; ++k)); do
    if [[ ${COMP_WORDS[k]} != -* ]]; then
      command=${COMP_WORDS[k]}
      break
    fi
  done
  if [[ -z $command ]]; then
    help=$("$tool" --help 2>/dev/null)
    choices=$(sed -n '/^Subcommands:/,/^$/s/^  \([a-z]*\) .*/\1/p' <<<"$help")
    mapfile -t COMPREPLY < <(compgen -W "$choices --help --version" -- "$word")
    return
  fi
  help=$("$tool" "$command" --help 2>/dev/null)
  if [[ $before == --* ]]; then # values that an option names, as in --op NAME:{plus,times}
    choices=$(sed -n "s/^  .*$before [A-Z]*:{\([^}]*\)}.*/\1/p" <<<"$help")
    if [[ -n $choices ]]; then
      mapfile -t COMPREPLY < <(compgen -W "${choices//,/ }" -- "$word")
      return
    fi
  fi
  if [[ $word == -* ]]; then
    choices=$(grep -o -- '^  \(-[a-zA-Z],\)\?--[a-z-]*' <<<"$help" | sed 's/.*--/--/')
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$word")
  else
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
  fi
}
complete -o filenames -F _wavescan wavescan
