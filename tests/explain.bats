#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# gpuaas-explain: items of the pages and members of records, as they stand there.

load helper

@test "the warning of a prerequisite is explained by its page" {
  run_ok gpuaas-explain nat_rule_missing
  assert_output "The NAT rule of the private network."
  run_status 5 gpuaas-explain nothing_missing
  run_ok gpuaas-explain --complete no_single
  assert_output no_single_node
}

@test "a code, a state, a status, a metric, an alert and a setting" {
  run_ok gpuaas-explain topology_blocked
  assert_output "topology_blocked  (gpuaas-codes(7), REFUSALS)"
  assert_output "topology_blocked  (gpuaas-codes(7), ANSWERS OF NODES)"
  assert_output "        gpuaas-place --profile NAME --gpus 8 --image IMAGE \\"
  run_ok gpuaas-explain cleanup_blocked
  assert_output "cleanup_blocked  (gpuaas-operations(7), SLOTS)"
  assert_output "        gpuaas-approve repair SLOT"
  run_ok gpuaas-explain 4
  assert_output "Conflict or wrong state."
  run_ok gpuaas-explain gpuaas_refusals
  assert_output "gpuaas-export(1), METRICS"
  run_ok gpuaas-explain GpuaasBackupOld
  assert_output "        gpuaas-state backup --keep 48"
  run_ok gpuaas-explain GPUAAS_STATE
  # one of several that an item is for
  run_ok gpuaas-explain fm_not_ready
}

@test "a kind and a member, by each of their names" {
  run_ok gpuaas-explain gpuaas.slot/1
  assert_output "    a slot: an approved bundle of devices"
  long=$output
  for name in slot gpuaas.slot; do
    run_ok gpuaas-explain "$name"
    assert_output "$long"
  done
  run_ok gpuaas-explain slot.health_state
  assert_output "One of: ok, failed, unknown"
  run_ok gpuaas-explain slot.wipe
  assert_output "minimum_class"
  run_ok gpuaas-explain candidate.gpu.pci_address
  run_ok gpuaas-explain slot.blockers.code
  assert_output "        One of (gpuaas-codes(7), BLOCKERS): "
  for member in attention.code notice.code drift.code failure.code refusal.code kept-refusal.code finding.check \
    label-finding.code; do
    gpuaas-explain "$member" | grep -A1 "One of (gpuaas-codes(7), " | grep -q ", [a-z_]*,"
  done
  # a word of closed sets that no page has
  run_ok gpuaas-explain not_proven
  assert_output "not_proven  (a value of members; gpuaas-records(5))"
  assert_output "    wipe-evidence.gpu_reset.outcome: "
  # a kind that is a code, too, is both
  run_status 5 gpuaas-explain slot.stat
  assert_stderr "near to it: slot.state"
  run_status 5 gpuaas-explain gpuaas.slot/2
}

@test "a word that is none has near ones, and the others are printed all the same" {
  run_status 5 gpuaas-explain topolog 4
  assert_stderr "near to it: topology_blocked"
  assert_output "Conflict or wrong state."
  run_status 5 gpuaas-explain $'\e[31m'
  refute_stderr $'\e'
  # Signs of a table and words of a sentence are none.
  for word in - Ta is "'ID'" ARP; do
    run_status 5 gpuaas-explain -- "$word"
    assert_equal "$output" ""
    assert_stderr "no page explains '$word'"
  done
  run_ok gpuaas-explain slot
  refute_output "The program did its work, but"
  run_ok gpuaas-explain 1
  refute_output "gpuaas(7), PROGRAMS"
  run_status 2 gpuaas-explain
  run_status 2 gpuaas-explain --list 4
}

@test "text has no other form: --json, -o and --columns are refused" {
  local form
  for form in --json --table "-o csv" "--columns word" "--sort word"; do
    # shellcheck disable=SC2086 # two words
    run_status 2 gpuaas-explain stuck $form
    assert_equal "$output" ""
    assert_stderr "is for records, and this command prints text"
  done
  gpuaas-state init --lab > "$T/made"
  run_status 2 gpuaas-export openmetrics -o csv
  assert_stderr "gpuaas-export: -o csv is for records, and this command prints text"
  run_status 2 gpuaas-export slurm --json
  run_status 2 gpuaas-export kueue --table
  run_ok gpuaas-export kueue --json
  run_status 2 gpuaas-wipe --certificate X -o json
  assert_stderr "gpuaas-wipe: -o json is for records"
}

@test "every word is explained, within 79 columns, in the words of its page" {
  gpuaas-explain --list > "$T/words"
  [[ $(wc -l < "$T/words") -gt 700 ]]
  # shellcheck disable=SC2046 # one argument a word
  gpuaas-explain $(cat "$T/words") > "$T/all"
  refute_grep -F "(null)" "$T/all"
  assert_equal "$(awk 'length > 79 && !/^        /' "$T/all")" ""
  # A command can be pasted: a line that the next one belongs to ends with what says so.
  refute_grep -E "^[^']*('[^']*'[^']*)*'gpuaas[^']*$" "$T/all"
  grep -B 1 -A 1 -xF "            gpuaas-on gpuaas-reconcile --take-over - |" "$T/all" | head -n 3 | diff - <(
    echo "        gpuaas-state expect --node NODE |"
    echo "            gpuaas-on gpuaas-reconcile --take-over - |"
    echo "            gpuaas-state fold -")
  refute_grep -E '^ *\.[A-Z][a-z]( |$)|\\[&(e]' "$T/all"
  for page in codes.7 operations.7 export.1; do
    mandoc -T utf8 "$SRC/man/gpuaas-$page" | col -b > "$T/$page"
  done
  mandoc -T utf8 "$SRC/man/gpuaas.7" | col -b > "$T/gpuaas.7"
  python3 - "$T" "$T/all" << 'END'
import re
import sys

folder, given = sys.argv[1:]
def bare(text):
    return re.sub(r"[^A-Za-z0-9_]", "", text)
pages = {name: bare(open(f"{folder}/{file}", encoding="utf-8").read().replace("/usr/local/share/gpuaas", "SHARE"))
         for name, file in (("gpuaas-codes(7)", "codes.7"), ("gpuaas-operations(7)", "operations.7"),
                            ("gpuaas-export(1)", "export.1"), ("gpuaas(7)", "gpuaas.7"))}
blocks = re.split(r"\n(?=\S)", open(given, encoding="utf-8").read())
count = 0
for block in blocks:
    head, _, body = block.partition("\n")
    page = re.search(r"\((gpuaas[a-z-]*\(\d\)),", head)
    if not page:
        continue
    count += 1
    words = bare(re.sub(r"/\S*/share/gpuaas", "SHARE", body))
    if words not in pages[page.group(1)]:
        print("not as in the page:", block)
        sys.exit(1)
print(count)
sys.exit(count < 600)
END
}
