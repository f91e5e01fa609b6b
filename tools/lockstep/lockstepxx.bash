# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# Completes the options of lockstep++ in bash: its own, those of DPC++ that change something, and those of clang.
_lockstepxx() {
  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
  COMPREPLY=()
  # bash splits words at "=".
  [[ $word == = ]] && word=
  [[ $before == = ]] && before=${COMP_WORDS[COMP_CWORD - 2]}
  case $before in
    --aot) mapfile -t COMPREPLY < <(compgen -W 'native x86-64 x86-64-v2 x86-64-v3 x86-64-v4 znver4 znver5' -- "$word") ;;
    -fsycl-targets) mapfile -t COMPREPLY < <(compgen -W 'spir64 spir64_x86_64 native_cpu' -- "$word") ;;
    *)
      if [[ $word == -* ]]; then
        local own='--aot --aot= --aot-local-size= --clangd-config --help --version -fsycl -fsycl-targets='
        own+=' -fsycl-default-sub-group-size= -Xsycl-target-backend -Xsycl-target-frontend'
        local of_clang
        of_clang=$(clang++-22 --autocomplete="$word" 2> /dev/null | cut -f 1)
        mapfile -t COMPREPLY < <(compgen -W "$own $of_clang" -- "$word" | sort -u)
      fi
      ;;
  esac
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2> /dev/null
  # Files.
  ((${#COMPREPLY[@]})) || mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -o filenames -F _lockstepxx lockstep++
