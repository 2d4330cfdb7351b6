# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# Completion of gpuaas in bash: the programs know their words and the objects of the state;
# "PROGRAM --complete WORD…" prints them (gpuaas(7)).

# Sets word to the text without its quotes, quote to the one that is still open, and before to what
# stands in front of that.
_gpuaas_unquote()
{
  local i c
  word='' quote='' before=''
  for ((i = 0; i < ${#1}; i++)); do
    c=${1:i:1}
    if [[ -n $quote && $c == "$quote" ]]; then
      quote=''
    elif [[ -z $quote && $c == [\'\"] ]]; then
      quote=$c before=$word
    elif [[ $quote != "'" && $c == \\ ]]; then
      i=$((i + 1))
      word+=${1:i:1}
    else
      word+=$c
    fi
  done
}

_gpuaas()
{
  local words=() lines=() line word quote before goes_on='' at=$COMP_POINT rest=$COMP_LINE done=0 i
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
  for ((i = 0; i < ${#words[@]}; i++)); do
    _gpuaas_unquote "${words[i]}"
    words[i]=$word
  done
  while IFS= read -r line; do
    case $line in
    $'\tfiles') compopt -o filenames && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$word") ;;
    $'\tfolders') compopt -o filenames && mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$word") ;;
    $'\tcommands') mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$word") ;;
    $'\tnospace') goes_on=1 && compopt -o nospace ;;
    *) COMPREPLY+=("${line%%$'\t'*}") lines+=("${line#*$'\t'}") ;;
    esac
  done < <(command "${words[0]##*/}" --complete "${words[@]:1}" 2> /dev/null)
  # Bash puts in only what follows an open quote, else the last of these characters.
  if [[ -n $quote ]]; then
    COMPREPLY=("${COMPREPLY[@]#"$before"}")
    # A single word gets its quote at the end; of two, bash puts in what both begin with.
    [[ -z $goes_on || ${#COMPREPLY[@]} -ne 1 ]] || COMPREPLY+=("${COMPREPLY[0]}-")
  elif [[ $word == *[=:]* ]]; then
    word=${word%"${word##*[=:]}"}
    COMPREPLY=("${COMPREPLY[@]#"$word"}")
  fi
  # A second Tab only lists: each word has its line then.
  if [[ ${COMP_TYPE-} == 63 && ${#COMPREPLY[@]} -gt 1 && ${#lines[@]} -eq ${#COMPREPLY[@]} ]]; then
    for ((i = 0; i < ${#lines[@]}; i++)); do
      [[ -z ${lines[i]} ]] || COMPREPLY[i]+="  (${lines[i]})"
    done
  fi
}
complete -F _gpuaas gpuaas gpuaas-approve gpuaas-discover gpuaas-doctor gpuaas-explain \
  gpuaas-export gpuaas-host-bootstrap gpuaas-host-shell gpuaas-image gpuaas-list gpuaas-match \
  gpuaas-node gpuaas-on gpuaas-place gpuaas-profile gpuaas-provision gpuaas-reconcile \
  gpuaas-release gpuaas-report gpuaas-serve gpuaas-show gpuaas-state \
  gpuaas-validate gpuaas-vm gpuaas-wipe
