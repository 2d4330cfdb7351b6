# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of gpuaas in bash: the programs know their words and the objects of the state;
# "PROGRAM --complete WORD…" prints them (gpuaas(7)).

_gpuaas()
{
  local words=() line word at=$COMP_POINT rest=$COMP_LINE done=0 i
  COMPREPLY=()
  # Bash also splits words at '=' and ':'. What stands together in the line is one word.
  for ((i = 0; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if ((i > 0)) && [[ $rest != [[:space:]]* && $done -gt 0 && -n $word ]]; then
      words[${#words[@]} - 1]+=$word
    elif ((i > 1)) && [[ $rest != [[:space:]]* && -z $word && ${COMP_WORDS[i - 1]} == [=:]* ]]; then
      :
    else
      words+=("$word")
      rest=${rest#"${rest%%[![:space:]]*}"}
    fi
    rest=${rest#"$word"}
    done=1
  done
  ((at > 0)) || return
  word=${words[${#words[@]} - 1]}
  while IFS= read -r line; do
    case $line in
    $'\tfiles') compopt -o filenames && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word") ;;
    $'\tfolders') compopt -o filenames && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word") ;;
    $'\tcommands') mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$word") ;;
    $'\tnospace') compopt -o nospace ;;
    *) COMPREPLY+=("${line%%$'\t'*}") ;;
    esac
  done < <(command "${words[0]##*/}" --complete "${words[@]:1}" 2> /dev/null)
  # Bash puts in only what follows the last of these characters.
  if [[ $word == *[=:]* ]]; then
    word=${word%"${word##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$word"}")
  fi
}
complete -F _gpuaas gpuaas gpuaas-approve gpuaas-discover gpuaas-doctor gpuaas-explain \
  gpuaas-export gpuaas-host-bootstrap gpuaas-host-shell gpuaas-image gpuaas-list gpuaas-match \
  gpuaas-node gpuaas-on gpuaas-place gpuaas-profile gpuaas-provision gpuaas-reconcile \
  gpuaas-release gpuaas-report gpuaas-serve gpuaas-show gpuaas-state \
  gpuaas-validate gpuaas-vm gpuaas-wipe
