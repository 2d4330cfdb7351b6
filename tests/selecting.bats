# SPDX-License-Identifier: Apache-2.0
# The decision table of gpuaas-selecting(7): the programs confirm what it recommends.

load helper

# rows: of each row of the table, its work and its machines, a tab between.
rows()
{
  sed -n '/^\.Sh DECISION TABLE/,/^\.El/{
      /Sy Work/d
      s/^\.It \(.*\) Ta .* Ta \(.*\)/\1\t\2/p
    }' "$SRC/man/gpuaas-selecting.7"
}

# options WORK: gpuaas-match's of that work.
options()
{
  local cache=(--layers 80 --kv-heads 8 --head-size 128 --context 131072)
  case $1 in
  serving*' 8 bits') echo --model-params "$(size "$1")" --precision int8 ;;
  serving*' 16 bits') echo --model-params "$(size "$1")" --precision bf16 ;;
  *' 128K context') echo --model-params "$(size "$1")" --precision bf16 "${cache[@]}" ;;
  'full training of '*) echo --model-params "$(size "$1")" --method full ;;
  'CUDA, no tensor cores') echo --app cuda --min-compute-capability 7.0 ;;
  *) echo "no command for '$1': add it here" >&2; return 1 ;;
  esac
}

size()
{
  grep -oE '[0-9]+e9' <<< "$1"
}

# slug NAME: the type that the table means.
slug()
{
  case $1 in
  L4) echo nvidia-l4-24gb ;;
  A10) echo nvidia-a10-24gb ;;
  L40S) echo nvidia-l40s-48gb ;;
  'A100 80GB') echo nvidia-a100-sxm4-80gb ;;
  H100) echo nvidia-h100-sxm5-80gb ;;
  H200) echo nvidia-h200-141gb ;;
  MI300X) echo amd-mi300x-192gb ;;
  MI325X) echo amd-mi325x-256gb ;;
  V100) echo nvidia-v100-sxm2-16gb ;;
  T4) echo nvidia-t4-16gb ;;
  *) echo "no type '$1' is known here: teach me its slug" >&2; return 1 ;;
  esac
}

# of_each MACHINES CMD…: CMD… SLUG COUNT for each machine of the list.
of_each()
{
  local machine count type machines
  IFS=, read -ra machines <<< "$1"
  for machine in "${machines[@]}"; do
    machine=${machine# } count=1
    [[ $machine != *' x '* ]] || count=${machine##* x }
    type=$(slug "${machine% x *}") || return
    "${@:2}" "$type" "$count" || { echo "in the row of: $1"; return 1; }
  done
}

# fits OPTION… SLUG COUNT
fits()
{
  local type=${*: -2:1} count=${*: -1}
  gpuaas-profile show "$type" > "$T/profile" 2>&1 ||
    gpuaas-profile create "$type" --type "$type" --count 1,2,4,8 --vcpus-per-gpu 4 \
      --memory-per-gpu 8G --price 1 > "$T/profile" || return
  run --separate-stderr gpuaas-match --json --gpus "$count" "${@:1:$#-2}"
  asked=$((asked + 1))
  assert_equal "$(jq -r --arg p "$type" 'select(.profile == $p).fits' <<< "$output")" true ||
    { echo "$type x $count: gpuaas-match ${*:1:$#-2}"; return 1; }
}

# ten times what a GPU for graphics has: 8 TFLOPS at least
has_fp64()
{
  run_ok gpuaas-profile catalog "$1"
  asked=$((asked + 1))
  assert_equal "$(jq --arg s "$1" 'select(.slug == $s).dense.fp64_gflops > 8000' <<< "$output")" true
}

@test "gpuaas-match confirms each row of the decision table" {
  gpuaas-state init --lab > "$T/made"
  local work machines asked=0 n=0 serving=()
  while IFS=$'\t' read -r work machines; do
    n=$((n + 1))
    case $work in
    LoRA) continue ;;
    'FP64 simulation')
      of_each "$machines" has_fp64
      continue
      ;;
    esac
    read -ra question <<< "$(options "$work")"
    ((${#question[@]}))
    of_each "$machines" fits "${question[@]}"
    # LoRA: what serves it
    [[ $work != serving*bits ]] || of_each "$machines" fits "${question[@]}" --method lora
  done < <(rows)
  assert_equal "$n $asked" "13 48"
}

@test "what the table says of 80 GB: full training ends there at 42e9 on eight" {
  gpuaas-state init --lab > "$T/made"
  local asked=0
  grep -qxF 'With 8 GPUs of 80 GB the memory for full training ends at 42e9, before the activations.' \
    "$SRC/man/gpuaas-selecting.7"
  fits --method full --model-params 42e9 nvidia-h100-sxm5-80gb 8
  run fits --method full --model-params 43e9 nvidia-h100-sxm5-80gb 8
  assert_status 1
  assert_output 'actual:   false'
}
