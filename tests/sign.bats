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
  # Looking makes no key: the host has its first one with its first order.
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

# keys: the keys that the state has, with what they were taken by
keys()
{
  gpuaas-list audit | jq -r 'select(.action=="node_key_first_use" or .action=="key_registered") |
    "\(.action) \(.detail.key)"'
}

# attention_is TEXT: what attention says of nodes without a key
attention_is()
{
  assert_equal "$(gpuaas-list attention --where code=node_without_key |
    jq -rs 'map(.object + " " + .command) | join("; ")')" "$1"
}

CURE='gpuaas-on --nodes node=n-1ab100000000 gpuaas-wipe --pending | gpuaas-state fold - && '
CURE+='gpuaas-on --nodes node=n-1ab100000000 gpuaas-discover | gpuaas-approve --record-only'

@test "a host that nobody prepared: its first order makes its key, and its first answer is its word" {
  jq_host='select(.kind=="gpuaas.host/1").node_key'
  assert_equal "$(jq -r "$jq_host" "$T/discovery")" null
  assert_equal "$(keys)" ""
  attention_is "n-1ab100000000 $CURE"
  assert_equal "$(stat -c %a "$T/far/node.key")" 600
  key=$(public_key "$T/far/node.key")
  assert_equal "$(jq -r 'select(.kind=="gpuaas.wipe-evidence/1").signature.key' "$T/results")" "$key"
  sign "$T/far/node.key" < "$T/results" | cmp - "$T/results"
  # Nothing else than the answer to its order: what it sees of itself, or an answer to an older order.
  gpuaas-state expect --node n-1ab100000000 > "$T/expected"
  on_host gpuaas-reconcile - < "$T/expected" > "$T/observed" || :
  jq_in_order -c 'select(.kind=="gpuaas.observation/1")' "$T/observed" > "$T/bad"
  refused unknown_key
  jq_in_order -c '.attempt = "zzzzzzzz"' "$T/results" | sign "$T/far/node.key" > "$T/bad"
  refused unknown_key
  assert_equal "$(keys)" ""
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(slot_state)" available
  assert_equal "$(keys)" "node_key_first_use $key"
  gpuaas-list audit | jq -c 'select(.action=="node_key_first_use") | [.object, .detail.object, .detail.attempt]' > "$T/used"
  assert_equal "$(cat "$T/used")" "[\"n-1ab100000000\",\"$SLOT\",$(jq .attempt "$T/results")]"
  attention_is ""
  run_ok gpuaas-state fold "$T/results"
  # Discovery shows the same key now, and there is nothing to register.
  on_host gpuaas-discover > "$T/discovery"
  assert_equal "$(jq -r "$jq_host" "$T/discovery")" "$key"
  run_ok gpuaas-approve --record-only < "$T/discovery"
  assert_equal "$(keys)" "node_key_first_use $key"
  # From now on it is required.
  run_ok gpuaas-state fold "$T/observed"
}

@test "evidence that nobody signed frees no slot, whatever attempt it names" {
  jq_in_order -c 'del(.signature)' "$T/results" > "$T/bad"
  refused unsigned
  jq_in_order -c 'del(.signature) | .markers.surviving = 0' "$T/results" > "$T/bad"
  refused unsigned
  run_ok gpuaas-list audit --where action=result_refused
  jq_slurp_is 'map(.object)|unique|.[]' n-1ab100000000
}

@test "a result that is not folded registers no key" {
  # The digest of the evidence is not that of its content: the fold refuses it.
  jq_in_order -c '.markers.surviving = 1' "$T/results" | sign "$T/far/node.key" > "$T/bad"
  run_status 3 gpuaas-state fold "$T/bad"
  assert_equal "$(keys)" ""
}

@test "the command of attention registers the key" {
  on_host gpuaas-wipe --pending
  on_host gpuaas-discover | gpuaas-approve --record-only
  attention_is ""
  assert_equal "$(keys)" "key_registered $(public_key "$T/far/node.key")"
}

@test "on the machine of the state the first order registers the key, too" {
  GPUAAS_HOST_DIR=$T/near in_host gpuaas-wipe < <(head -n 1 "$T/orders") > "$T/local"
  assert_equal "$(slot_state)" available
  assert_equal "$(keys)" "node_key_first_use $(public_key "$T/near/node.key")"
  attention_is ""
  # The host elsewhere that has its name is another one.
  cp "$T/results" "$T/bad"
  run_status 6 gpuaas-state fold "$T/bad"
  assert_stderr "the key of the signature is not registered"
}

@test "on the machine of the state a second key is not taken for the first, and is in the audit" {
  GPUAAS_HOST_DIR=$T/near in_host gpuaas-wipe < <(head -n 1 "$T/orders") > "$T/local"
  first=$(public_key "$T/near/node.key")
  rm "$T/near/node.key"
  GPUAAS_HOST_DIR=$T/near run_ok in_host gpuaas-wipe < <(tail -n 1 "$T/orders")
  assert_stderr "the state has another key of node 'n-1ab100000000' than this host"
  assert_equal "$(keys)" "node_key_first_use $first"
  assert_equal "$(gpuaas-list audit --where action=node_key_differs | jq -r .detail.key)" \
    "$(public_key "$T/near/node.key")"
  run_ok gpuaas-list nodes
  jq_is .node_key "$first"
  # And the approval of its next discovery asks a person.
  GPUAAS_HOST_DIR=$T/near in_host gpuaas-discover > "$T/discovery"
  run_status 4 gpuaas-approve --record-only < "$T/discovery"
  assert_stderr "it shows another key than the registered one"
}

@test "on the machine of the state a revoked key is reported as revoked, and a new one is named" {
  GPUAAS_HOST_DIR=$T/near in_host gpuaas-wipe < <(head -n 1 "$T/orders") > "$T/local"
  gpuaas-node revoke-key n-1ab100000000 --reason lost --yes > "$T/revoked"
  GPUAAS_HOST_DIR=$T/near run_ok in_host gpuaas-wipe < <(tail -n 1 "$T/orders")
  assert_stderr "the state has no key of node 'n-1ab100000000' that counts, its last one was revoked"
  refute_stderr "has another key"
  GPUAAS_HOST_DIR=$T/near run_ok gpuaas-host-bootstrap --new-key
  assert_stderr "the key of this host is $(public_key "$T/near/node.key") now; next: gpuaas-discover | \
gpuaas-approve --record-only"
}

@test "a signed failure of an unknown key is refused as any other result; gpuaas-on's own is not signed" {
  enrol
  openssl genpkey -algorithm ed25519 -out "$T/other.key" 2> /dev/null
  jq_in_order -cn '{kind:"gpuaas.failure/1",program:"gpuaas-on",node:"n-1ab100000000",object:null,attempt:null,
    generation:null,dry_run:false,phase:null,code:"unreachable",status:8,sentence:"no answer",hint:null,
    at:"2026-11-20T10:00:00.000000Z"}' > "$T/failure"
  sign "$T/other.key" < "$T/failure" > "$T/bad"
  refused unknown_key
  run_status 8 gpuaas-state fold "$T/failure"
}

@test "an unsigned record of a dry run is refused for that, and is no forged result" {
  enrol
  in_host gpuaas-wipe --dry-run < "$T/orders" | head -n 1 > "$T/dry"
  jq_in_order -cn '{kind:"gpuaas.failure/1",program:"gpuaas-release",node:"n-1ab100000000",object:null,attempt:null,
    generation:null,dry_run:true,phase:null,code:"unreachable",status:8,sentence:"no answer",hint:null,
    at:"2026-11-20T10:00:00.000000Z"}' >> "$T/dry"
  jq -c 'del(.signature)' "$T/dry" > "$T/bad"
  assert_equal "$(jq -rs 'map(.dry_run)|unique|join(",")' "$T/bad")" true
  while IFS= read -r line; do
    run_status 4 gpuaas-state fold - <<< "$line"
    assert_stderr "is of a dry run: nothing was done"
  done < "$T/bad"
  assert_equal "$(gpuaas-list audit --where action=result_refused)" ""
  run_ok gpuaas-list attention --where code=result_refused
  assert_equal "$output" ""
}

@test "nodes show their keys: none, the first, none again when it is revoked" {
  run_ok gpuaas-list nodes
  jq_is '"\(.node_key) \(.node_key_since)"' "null null"
  enrol
  run_ok gpuaas-list nodes
  jq_is .node_key "$(public_key "$T/far/node.key")"
  since=$(jq -r .node_key_since <<< "$output")
  run_ok gpuaas-show n-1ab100000000
  jq_is 'select(.kind=="gpuaas.node/1") | "\(.node_key) \(.node_key_since)"' \
    "$(public_key "$T/far/node.key") $since"
  run_ok gpuaas-list nodes --table
  assert_output "KEY SINCE"
  run_ok gpuaas-node revoke-key n-1ab100000000 --reason lost --yes
  run_ok gpuaas-list nodes
  jq_is '"\(.node_key) \(.node_key_since)"' "null null"
}

# Before its first order, as after gpuaas-host-bootstrap.
enrol()
{
  on_host gpuaas-discover > "$T/discovery"
  gpuaas-approve --record-only < "$T/discovery"
}

@test "a host's key is its own, shown by discover, registered by approve, signed with by openssl too" {
  enrol
  key=$(jq -r 'select(.kind=="gpuaas.host/1").node_key' "$T/discovery")
  assert_equal "$key" "$(public_key "$T/far/node.key")"
  assert_equal "$(keys)" "key_registered $key"
  assert_equal "$(jq -r 'select(.kind=="gpuaas.wipe-evidence/1").signature.key' "$T/results")" "$key"
  sign "$T/far/node.key" < "$T/results" | cmp - "$T/results"
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(slot_state)" available
  run_ok gpuaas-state fold "$T/results"
}

@test "changed, unsigned, of another key: refused, and told" {
  enrol
  jq_in_order -c '.markers.surviving = 1' "$T/results" > "$T/bad"
  refused bad_signature
  run_status 6 gpuaas-state fold "$T/bad"
  assert_stderr "the record does not fit its signature: it was changed on its way"
  run_ok gpuaas-list attention --where code=result_refused
  jq_is '.sentence|[contains("changed on its way"), contains("key")]|map(tostring)|join(" ")' "true false"
  jq_in_order -c '.signature.value = "x"' "$T/results" > "$T/bad"
  refused bad_signature
  jq_in_order -c '.signature = null' "$T/results" > "$T/bad"
  refused bad_signature
  jq_in_order -c 'del(.signature)' "$T/results" > "$T/bad"
  refused unsigned
  openssl genpkey -algorithm ed25519 -out "$T/other.key" 2> /dev/null
  sign "$T/other.key" < "$T/results" > "$T/bad"
  refused unknown_key
  # A refused result does not hinder the right one.
  run_ok gpuaas-state fold "$T/results"
  assert_equal "$(slot_state)" available
  # It travelled through jq, which keeps members and their order.
  run_ok bash -c 'jq_in_order -c . "$1" | gpuaas-state fold -' - "$T/results"
}

@test "another node's word for this one's slot" {
  enrol
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
  enrol
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
  enrol
  run_ok gpuaas-state fold "$T/results"
  on_host gpuaas-reconcile --inventory > "$T/inventory"
  jq_in_order -c 'if .kind=="gpuaas.inventory/1" then del(.signature) else . end' "$T/inventory" > "$T/bad"
  run_status 6 gpuaas-state adopt "$T/bad" --reason test
  assert_stderr "not signed"
  jq_in_order -c 'if .kind=="gpuaas.inventory/1" then .domains_known|=not else . end' "$T/inventory" > "$T/bad"
  run_status 6 gpuaas-state adopt "$T/bad" --reason test
  assert_stderr "does not fit its signature"
  run gpuaas-state adopt "$T/inventory" --reason test
  [[ $status -le 1 ]]
  # A state made of it knows the key from the start.
  GPUAAS_STATE=$T/new.db run gpuaas-state rebuild "$T/inventory" --lab --reason test
  [[ $status -le 1 ]]
  assert_equal "$(GPUAAS_STATE=$T/new.db gpuaas-list audit --where action=key_registered |
    jq -r .detail.key)" "$(jq -r 'select(.kind=="gpuaas.host/1").node_key' "$T/discovery")"
}

@test "a key that is revoked by hand: its node is heard no more" {
  enrol
  run_status 2 gpuaas-node revoke-key n-1ab100000000 --yes
  run_ok gpuaas-node revoke-key n-1ab100000000 --reason 'the host was broken into' --yes
  cp "$T/results" "$T/bad"
  refused key_revoked
  run_status 4 gpuaas-node revoke-key n-1ab100000000 --reason again --yes
  # Without a signature it is not heard either: it is known to have had a key.
  jq_in_order -c 'del(.signature)' "$T/results" > "$T/bad"
  refused unsigned
}

# cure CODE: does what attention says on the host, which has the state beside it for this
cure()
{
  local command
  command=$(GPUAAS_HOST_DIR=$T/far in_host gpuaas-list attention --where "code=$1" | jq -er .command)
  [[ $command != *gpuaas-on* ]]
  echo "$command"
  GPUAAS_HOST_DIR=$T/far run_ok in_host bash -c "$command"
}

@test "a node whose key was revoked gets a new one by the command of attention" {
  enrol
  old=$(public_key "$T/far/node.key")
  gpuaas-node revoke-key n-1ab100000000 --reason lost --yes > "$T/revoked"
  run_ok gpuaas-list attention --where code=node_without_key
  jq_is .command "gpuaas-on --nodes node=n-1ab100000000 gpuaas-host-bootstrap --new-key && \
gpuaas-on --nodes node=n-1ab100000000 gpuaas-discover | gpuaas-approve --record-only"
  # A discovery, which enrolled it before, does not do it: the revoked key is still there.
  on_host gpuaas-discover > "$T/discovery"
  run_status 6 gpuaas-approve --record-only < "$T/discovery"
  assert_stderr "gpuaas-host-bootstrap --new-key"
  cure node_without_key
  new=$(public_key "$T/far/node.key")
  [[ $new != "$old" ]]
  # Anybody could have shown it: a warning names it, and so does the audit.
  assert_stderr "the key of node 'n-1ab100000000' was revoked, and $new counts from now on"
  assert_equal "$(gpuaas-list audit --where action=key_registered | jq -r '.detail.after // empty')" key_revoked
  assert_equal "$(stat -c %a "$T/far/node.key")" 600
  run_ok gpuaas-list nodes
  jq_is .node_key "$new"
  attention_is ""
  run_status 2 gpuaas-host-bootstrap --new-key --undo
  run_status 2 gpuaas-host-bootstrap --new-key --root "$T"
}

@test "a node in whose name something was refused is in attention until its host was looked at" {
  row() { gpuaas-list attention --where code=result_refused; }
  other=$(openssl genpkey -algorithm ed25519 2> /dev/null | tee "$T/other.key" | openssl pkey -pubout -outform DER |
    tail -c 32 | base64 -w 0)
  key=$(public_key "$T/far/node.key")
  # The true host, of which the state has no key, says what it was not asked.
  jq_in_order -c '.attempt = "zzzzzzzz"' "$T/results" | sign "$T/far/node.key" > "$T/bad"
  assert_equal "$(row)" ""
  refused unknown_key
  run_ok row
  jq_is '[.object, .state]|join(" ")' "n-1ab100000000 active"
  jq_is '.sentence|contains("(unknown_key)") and contains("signed with key '"$key"'") and contains("the state has no key")' true
  jq_is .command "gpuaas-on --nodes node=n-1ab100000000 gpuaas-discover | gpuaas-approve --record-only"
  cure result_refused
  assert_equal "$(row)" ""
  assert_equal "$(keys)" "key_registered $key"
  # Somebody else, in the name of a node with a key: the host shows that it is not its key.
  jq_in_order -c . "$T/results" | sign "$T/other.key" > "$T/bad"
  refused unknown_key
  run_ok row
  jq_is '.sentence|contains("signed with key '"$other"'") and contains("the state has key '"$key"'")' true
  cure result_refused
  assert_equal "$(row)" ""
  assert_equal "$(keys)" "key_registered $key"
  # And one that nobody signed.
  jq_in_order -c 'del(.signature)' "$T/results" > "$T/bad"
  refused unsigned
  run_ok row
  jq_is '.sentence|contains("signed with no key")' true
  # An inventory that adopt refuses is one of them, and stands in the audit.
  cure result_refused
  on_host gpuaas-reconcile --inventory | jq_in_order -c 'if .kind=="gpuaas.inventory/1" then del(.signature) else . end' > "$T/bad"
  run_status 6 gpuaas-state adopt "$T/bad" --reason test
  assert_equal "$(gpuaas-list audit | jq -rs 'last | [.action, .detail.kind, .detail.reason]|join(" ")')" \
    "result_refused gpuaas.inventory/1 unsigned"
  run_ok row
  jq_is .code result_refused
}

@test "fold and adopt report a key that they take on first use" {
  run_ok gpuaas-state fold "$T/results"
  assert_stderr "node 'n-1ab100000000' had no key: $(public_key "$T/far/node.key"), with which this result is signed"
  run_ok gpuaas-state fold "$T/results"
  refute_stderr "had no key"
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init --lab > /dev/null
  gpuaas-approve --record-only < "$T/discovery" > "$T/approved"
  on_host gpuaas-reconcile --inventory > "$T/inventory"
  run gpuaas-state adopt "$T/inventory" --reason test
  [[ $status -le 1 ]]
  run_ok gpuaas-list audit --where action=node_key_first_use
  jq_is .detail.kind gpuaas.inventory/1
  rm -f "$GPUAAS_STATE"*
  gpuaas-state init --lab > /dev/null
  gpuaas-approve --record-only < "$T/discovery" > "$T/approved"
  run --separate-stderr gpuaas-state adopt "$T/inventory" --reason test
  assert_stderr "had no key"
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
