# SPDX-License-Identifier: Apache-2.0
# Results from elsewhere: signed by the host with its own key, believed for what is the host's, and
# refused for everything else.

load helper

# The state is here; the host has a folder of its own, a key, and no state.
setup()
{
  common_setup
  setup_host lab1
  gpuaas-state init --lab > /dev/null
  gpuaas-state apply "$SRC/share/objects/lab.json" > /dev/null
  # Whoever works on the host for the first time makes its key: here a look at what is pending.
  on_host gpuaas-wipe --pending
  on_host gpuaas-discover > "$T/discovery"
  gpuaas-approve --all-ready < "$T/discovery" |
    jq_in_order -c 'select(.kind=="gpuaas.wipe-order/1")' > "$T/orders"
  SLOT=$(head -n 1 "$T/orders" | jq -r .object)
  head -n 1 "$T/orders" | on_host gpuaas-wipe > "$T/results"
}

on_host()
{
  GPUAAS_STATE=$T/nowhere.db GPUAAS_HOST_DIR=$T/far in_host "$@"
}

slot_state()
{
  gpuaas-list slots --where "slot=$SLOT" | jq -r .state
}

# refused REASON: folding $T/bad is refused for it, moves nothing, and is in the audit
refused()
{
  local audit
  run_status 6 env GPUAAS_ERRORS=json gpuaas-state fold "$T/bad"
  assert_equal "$(slot_state)" wiping
  run_ok gpuaas-list audit
  jq_slurp_is 'last | .action + " " + .detail.reason' "result_refused $1"
  audit=$output
  # The host tells it again at every run: it stands there once.
  run_status 6 gpuaas-state fold "$T/bad"
  run_ok gpuaas-list audit
  assert_equal "$output" "$audit"
}

# sign JSON… with a key of our own, as any program can: prints the record with its signature
sign()
{
  local text
  text=$(jq_in_order -c 'del(.signature)')
  printf 'gpuaas.signature/1\n%s' "$text" > "$T/text"
  openssl pkeyutl -sign -rawin -inkey "$1" -in "$T/text" -out "$T/value"
  jq_in_order -c --arg v "$(base64 -w 0 "$T/value")" --arg k "$(openssl pkey -in "$1" -pubout -outform DER |
    tail -c 32 | base64 -w 0)" '. + {signature: {key: $k, value: $v}}' <<< "$text"
}

@test "a host's key is its own, shown by discover, registered by approve, signed with by openssl too" {
  assert_equal "$(stat -c %a "$T/far/node.key")" 600
  key=$(jq -r 'select(.kind=="gpuaas.host/1").node_key' "$T/discovery")
  assert_equal "$key" "$(openssl pkey -in "$T/far/node.key" -pubout -outform DER | tail -c 32 |
    base64 -w 0)"
  run_ok gpuaas-list audit
  jq_slurp_is "map(select(.action==\"key_registered\").detail.key)|join(\" \")" "$key"
  assert_equal "$(jq -r 'select(.kind=="gpuaas.wipe-evidence/1").signature.key' "$T/results")" "$key"
  sign "$T/far/node.key" < "$T/results" | cmp - "$T/results"
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(slot_state)" available
  run_ok gpuaas-state fold "$T/results"
}

@test "changed, unsigned, of another key: refused, and told" {
  jq_in_order -c '.markers.surviving = 1' "$T/results" > "$T/bad"
  refused bad_signature
  jq_in_order -c '.signature.value = "x"' "$T/results" > "$T/bad"
  refused bad_signature
  jq_in_order -c '.signature = null' "$T/results" > "$T/bad"
  refused bad_signature
  jq_in_order -c 'del(.signature)' "$T/results" > "$T/bad"
  refused unsigned
  openssl genpkey -algorithm ed25519 -out "$T/other.key" 2> /dev/null
  sign "$T/other.key" < "$T/results" > "$T/bad"
  refused unknown_key
  # What was refused keeps nothing from what is right.
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(slot_state)" available
  # It travelled through jq, which keeps members and their order.
  run_ok bash -c 'jq_in_order -c . "$1" | gpuaas-state fold -' - "$T/results"
}

@test "another node's word for this one's slot" {
  openssl genpkey -algorithm ed25519 -out "$T/other.key" 2> /dev/null
  mkdir -m 700 "$T/elsewhere"
  cp "$T/other.key" "$T/elsewhere/node.key"
  chmod 600 "$T/elsewhere/node.key"
  GPUAAS_HOST_DIR=$T/elsewhere in_host gpuaas-discover --node elsewhere | gpuaas-approve --record-only
  sign "$T/other.key" < "$T/results" > "$T/bad"
  refused wrong_node
  jq_in_order -c '.node = "elsewhere"' "$T/results" | sign "$T/other.key" > "$T/bad"
  refused wrong_node
}

@test "a key that changed is for a person; a revoked one never comes back" {
  mv "$T/far/node.key" "$T/old.key"
  on_host gpuaas-wipe --pending
  on_host gpuaas-discover > "$T/discovery"
  run_status 4 gpuaas-approve --record-only < "$T/discovery"
  assert_stderr "another key than the registered one"
  run_ok gpuaas-approve --record-only --accept-change < "$T/discovery"
  cp "$T/results" "$T/bad"
  refused key_revoked
  cp "$T/old.key" "$T/far/node.key"
  on_host gpuaas-discover > "$T/discovery"
  run_status 6 gpuaas-approve --record-only --accept-change < "$T/discovery"
  assert_stderr "a key that was revoked"
}

@test "an inventory is its host's word too" {
  run_ok gpuaas-state fold "$T/results"
  on_host gpuaas-reconcile --inventory > "$T/inventory"
  jq_in_order -c 'if .kind=="gpuaas.inventory/1" then del(.signature) else . end' "$T/inventory" > "$T/bad"
  run_status 6 gpuaas-state adopt "$T/bad" --reason test
  assert_stderr "not signed"
  jq_in_order -c 'if .kind=="gpuaas.inventory/1" then .domains_known|=not else . end' "$T/inventory" > "$T/bad"
  run_status 6 gpuaas-state adopt "$T/bad" --reason test
  assert_stderr "not of this record"
  run gpuaas-state adopt "$T/inventory" --reason test
  [[ $status -le 1 ]]
  # A state made of it knows the key from the start.
  GPUAAS_STATE=$T/new.db run gpuaas-state rebuild "$T/inventory" --lab --reason test
  [[ $status -le 1 ]]
  assert_equal "$(GPUAAS_STATE=$T/new.db gpuaas-list audit --where action=key_registered |
    jq -r .detail.key)" "$(jq -r 'select(.kind=="gpuaas.host/1").node_key' "$T/discovery")"
}

@test "a key that is revoked by hand: its node is heard no more" {
  run_status 2 gpuaas-node revoke-key n-1ab100000000 --yes
  run_ok gpuaas-node revoke-key n-1ab100000000 --reason 'the host was broken into' --yes
  cp "$T/results" "$T/bad"
  refused key_revoked
  run_status 4 gpuaas-node revoke-key n-1ab100000000 --reason again --yes
  # Without a signature it is not heard either: it is known to have had a key.
  jq_in_order -c 'del(.signature)' "$T/results" > "$T/bad"
  refused unsigned
}

@test "a key that others can read is not used" {
  chmod 644 "$T/far/node.key"
  run_status 6 on_host gpuaas-wipe --pending
  assert_stderr "not ours alone"
  run_status 6 on_host gpuaas-discover
}

@test "what only says that nobody answered needs no signature" {
  jq_in_order -cn --arg at "$(date -u +%FT%T.%6NZ)" '{kind:"gpuaas.failure/1",program:"gpuaas-on",
    node:"n-1ab100000000",object:null,attempt:null,generation:null,dry_run:false,phase:null,
    code:"unreachable",status:8,sentence:"no answer",hint:null,at:$at}' > "$T/failure"
  run_status 8 gpuaas-state fold "$T/failure"
  assert_equal "$(gpuaas-list audit | jq -rs 'last.action')" failure
}

@test "who may not read the key discovers without it" {
  [[ $EUID -eq 0 ]] || skip "only root can give a file away and its rights up"
  mkdir -m 711 "$T/open"
  cp "$T/far/node.key" "$T/open"
  chown nobody "$T/open/node.key"
  GPUAAS_HOST_DIR=$T/open run_ok in_host setpriv --bounding-set=-dac_override,-dac_read_search \
    gpuaas-discover
  jq_slurp_is 'map(select(.kind=="gpuaas.host/1"))|.[0]|has("node_key"), .node_key' "true
null"
  run ! setpriv --bounding-set=-dac_override,-dac_read_search cat "$T/open/node.key"
}
