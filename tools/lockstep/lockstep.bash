# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Completes the subcommands and options of lockstep in bash.
_lockstep() {
  local word=${COMP_WORDS[COMP_CWORD]} subcommand=${COMP_WORDS[1]-}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W 'info compile run check debug top trace cache doctor --help --version' -- "$word")
    return
  fi
  local options=
  case $subcommand in
    info) options='--json --platform --device' ;;
    compile) options='--kernel --options --local-size --neighbors --processors --stage --device --emit --remarks --times --list-stages --list-kernels --output' ;;
    run) options='--kernel --global --local --offset --arg --print --compare --save --repeat --options --platform --device --check' ;;
    check) options='--only --strict --kernel --seed --schedules --suppress --threads --json --exit-code' ;;
    debug) options='--gdb' ;;
    top) options='--json --once --interval --pid' ;;
    trace)
      options='merge --output --dot'
      [[ ${COMP_WORDS[2]-} == merge && COMP_CWORD -gt 2 ]] && options=--output
      ;;
    cache) options='show clear' ;;
    doctor) options='--json' ;;
  esac
  case ${COMP_WORDS[COMP_CWORD - 1]} in
    --emit) options='asm ir bitcode binary ptx' ;;
    --only) options='races barriers commands memory undefined' ;;
  esac
  [[ $word == -* || $subcommand == cache || ($subcommand == trace && COMP_CWORD -eq 2) ]] && mapfile -t COMPREPLY < <(compgen -W "$options --help" -- "$word")
  case ${COMP_WORDS[COMP_CWORD - 1]} in
    --emit | --only) mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word") ;;
  esac
  # Files, and programs with their arguments.
  ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _lockstep lockstep
