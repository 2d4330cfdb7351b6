# SPDX-License-Identifier: Apache-2.0
# gpuaas-state notify: each hook gets each notice once, whatever fails in between.

load helper

setup()
{
  common_setup
  ((EUID == 0)) || skip "hooks must belong to root: this needs root"
  gpuaas-state init --lab > "$T/init"
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/apply"
  setup_host h200
  in_host gpuaas-discover > "$T/pattern"
  "$GPUAAS_BUILD/bench/fleet" "$GPUAAS_STATE" 1 < "$T/pattern"
  NODE=$(gpuaas-list nodes | jq -r .node)
  know_keys
  export GPUAAS_NOTIFY_DIR=$T/notify.d
  install -d -m 755 "$GPUAAS_NOTIFY_DIR"
}

# hook NAME: with that script, whose output the test reads in $T/NAME.log
hook()
{
  { printf '#!/bin/bash\nT=%q\n' "$T"; cat; } > "$T/new-hook"
  install -m 755 "$T/new-hook" "$GPUAAS_NOTIFY_DIR/$1"
}

# A hook that keeps the notices that it got.
keeper()
{
  # shellcheck disable=SC2016 # for the hook
  hook "$1" <<< 'cat >> "$T/${0##*/}.log"'
}

told()
{
  [[ -e $T/$1.log ]] || return 0
  jq -r '[.change, .code, .object] | join(" ")' "$T/$1.log"
}

# drift CODE OBJECT…: what reconcile finds on the node from now on, and nothing else
drift()
{
  local at code=$1 object
  shift
  minutes=$((${minutes-0} + 1))
  at=$(date -ud "2026-11-20 10:00 UTC + $minutes minutes" +%FT%T.000000Z)
  for object; do
    jq_in_order -cn --arg node "$NODE" --arg at "$at" --arg code "$code" --arg object "$object" '{kind:"gpuaas.drift/1",
      node:$node, object:$object, code:$code, severity:"error", expected:"this", observed:"that",
      observation:"bad", age_seconds:0, repair:null, command:"gpuaas-show x", repaired:false, at:$at}'
  done > "$T/drifts"
  jq_in_order -cn --arg node "$NODE" --arg at "$at" --argjson agreed "$([[ $# -eq 0 ]] && echo true || echo false)" '{
    kind:"gpuaas.observation/1", node:$node, at:$at, boot_id:null, fingerprint:null, agreed:$agreed,
    journal_open:0, drifts:0, allocations:[]}' >> "$T/drifts"
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/folded"
}

notify()
{
  run_ok gpuaas-state notify
}

audit()
{
  gpuaas-list audit --where "action=$1" | wc -l
}

@test "a hook gets one notice when a row is raised and one when it is over" {
  keeper a
  drift nat_missing "$NODE"
  notify
  assert_equal "$(told a)" "raised nat_missing $NODE"
  jq_is '[.hook, .told, .change, .failure] | map(tostring) | join(" ")' "a true raised null"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  # The hook read such a record too, in one line.
  assert_equal "$(wc -l < "$T/a.log")" 1
  "$SRC/tests/validate" "$SRC/share/schema" < "$T/a.log"
  assert_equal "$(jq -r '[.sentence, .command, .told] | map(tostring) | join("|")' "$T/a.log")" \
    "expected this, and the host shows that|gpuaas-show x|null"
  notify
  assert_equal "$output" ""
  drift nothing
  notify
  assert_equal "$(told a)" "raised nat_missing $NODE
cleared nat_missing $NODE"
  assert_equal "$(jq -r .notice "$T/a.log" | sort -u | wc -l)" 1
  notify
  assert_equal "$(wc -l < "$T/a.log")" 2
  # Again, and it is another notice.
  drift nat_missing "$NODE"
  notify
  assert_equal "$(jq -r .notice "$T/a.log" | sort -u | wc -l)" 2
  assert_equal "$(audit notified)" 3
  assert_equal "$(gpuaas-show "$NODE" | jq -r 'select(.action == "notified").detail.change' | paste -sd ' ')" \
    "raised cleared raised"
  run_ok gpuaas-state check
}

@test "an acknowledged entry is cleared with the reason, silent until its end, and raised again" {
  keeper a
  drift nat_missing "$NODE"
  notify
  run_ok gpuaas-state acknowledge "$NODE" --reason "a NIC comes on Friday" --until 3d
  run_ok gpuaas-state notify --dry-run
  jq_is '"\(.change) \(.acknowledged.reason)"' "cleared a NIC comes on Friday"
  notify
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  assert_equal "$(jq -r '"\(.change) \(.notice) \(.acknowledged.reason)"' "$T/a.log" | tail -n 1)" \
    "cleared 1 a NIC comes on Friday"
  # Silent, also for a new hook and after another end; other entries are reported.
  keeper b
  notify
  run_ok gpuaas-state acknowledge "$NODE" --reason "a NIC comes on Monday" --until 6d
  notify
  assert_equal "$output" ""
  drift nat_missing "$NODE"
  notify
  assert_equal "$output" ""
  # The acknowledgement is removed: a new notice, for both.
  run_ok gpuaas-state acknowledge "$NODE" --remove
  notify
  assert_equal "$(jq -r '"\(.change) \(.notice) \(.acknowledged)"' "$T/a.log" | tail -n 1)" "raised 2 null"
  assert_equal "$(told b)" "raised nat_missing $NODE"
  # At its end.
  run_ok gpuaas-state acknowledge "$NODE" --reason known --until 3d
  notify
  state_sql "UPDATE acknowledgement SET until = '2020-01-01T00:00:00.000000Z'"
  notify
  assert_equal "$(jq -r '"\(.change) \(.notice)"' "$T/b.log" | paste -sd ' ')" "raised 2 cleared 2 raised 3"
  # When its reason changes.
  run_ok gpuaas-state acknowledge "$NODE" --reason known --until 3d
  notify
  state_sql "UPDATE node_drift SET observed = 'something worse'"
  notify
  assert_equal "$(jq -r '"\(.change) \(.notice) \(.sentence)"' "$T/b.log" | tail -n 1)" \
    "raised 4 expected this, and the host shows something worse"
  # Gone while it is acknowledged: it was cleared already.
  run_ok gpuaas-state acknowledge "$NODE" --reason known --until 3d
  notify
  drift nothing
  notify
  assert_equal "$output" ""
  run_ok gpuaas-state check
}

@test "of two entries of one code, the acknowledged one is cleared and the other stays" {
  keeper a
  drift domain_orphan gpuaas-aaaaaaaa gpuaas-bbbbbbbb
  notify
  # The state acknowledges both; the second becomes another one.
  run_ok gpuaas-state acknowledge "$NODE" --reason known --until 3d
  state_sql "DELETE FROM acknowledgement WHERE sentence LIKE '%bbbbbbbb%'"
  notify
  assert_equal "$(jq -r '"\(.change) \(.sentence | split(":")[0])"' <<< "$output")" "cleared gpuaas-aaaaaaaa"
}

@test "a notice is not cleared with the acknowledgement of another entry" {
  keeper a
  drift domain_orphan gpuaas-aaaaaaaa gpuaas-bbbbbbbb
  notify
  run_ok gpuaas-state acknowledge "$NODE" --reason known --until 3d
  state_sql "DELETE FROM acknowledgement WHERE sentence LIKE '%aaaaaaaa%'"
  notify
  assert_equal "$(jq -r '"\(.change) \(.sentence | split(":")[0])"' <<< "$output")" "cleared gpuaas-bbbbbbbb"
  # The first one is repaired, the acknowledged one stays.
  drift domain_orphan gpuaas-bbbbbbbb
  notify
  assert_equal "$(jq -r '"\(.change) \(.sentence | split(":")[0]) \(.acknowledged)"' <<< "$output")" \
    "cleared gpuaas-aaaaaaaa null"
}

@test "--dry-run shows which hook would get which notice, and sends and records nothing" {
  keeper a
  keeper b
  : > "$GPUAAS_NOTIFY_DIR/unfit"
  chmod 777 "$GPUAAS_NOTIFY_DIR/unfit"
  drift nat_missing "$NODE"
  state_sql .dump > "$T/before"
  run_ok gpuaas-state notify --dry-run
  jq_slurp_is 'map("\(.hook) \(.change) \(.code) \(.told)") | join(", ")' \
    "a raised nat_missing null, b raised nat_missing null"
  "$SRC/tests/validate" "$SRC/share/schema" <<< "$output"
  assert_stderr "unfit' is not run"
  assert_equal "$(told a)$(told b)" ""
  state_sql .dump | cmp "$T/before"
  rm "$GPUAAS_NOTIFY_DIR/unfit"
  notify
  drift nothing
  run_ok gpuaas-state notify --dry-run
  jq_slurp_is 'map("\(.hook) \(.change)") | join(", ")' "a cleared, b cleared"
  # It told nobody, so there is still something to tell.
  notify
  assert_equal "$(told a)" "raised nat_missing $NODE
cleared nat_missing $NODE"
  run_ok gpuaas-state notify --dry-run
  assert_equal "$output" ""
}

@test "several of one code on one object have a notice each, and the right one is cleared" {
  keeper a
  drift domain_orphan gpuaas-aaaaaaaa
  notify
  drift domain_orphan gpuaas-aaaaaaaa gpuaas-bbbbbbbb
  notify
  drift domain_orphan gpuaas-bbbbbbbb
  notify
  assert_equal "$(jq -r '[.change, (.sentence | split(":")[0])] | join(" ")' "$T/a.log")" \
    "raised gpuaas-aaaaaaaa
raised gpuaas-bbbbbbbb
cleared gpuaas-aaaaaaaa"
}

@test "a hook that fails gets the notice again, the others do not, and they get one about its failure" {
  keeper good
  # shellcheck disable=SC2016 # for the hook
  hook bad <<< 'cat > /dev/null; [[ -e $T/well ]] || { echo "token=secret refused" >&2; exit 7; }
    echo "$GPUAAS_CHANGE $GPUAAS_NOTICE" >> "$T/bad.log"'
  drift nat_missing "$NODE"
  run_status 9 gpuaas-state notify
  assert_stderr "hook 'bad' did not get notice"
  assert_stderr "token=secret refused"
  assert_equal "$(jq -r 'select(.hook == "bad") | [.told, .failure] | map(tostring) | join(" ")' <<< "$output")" \
    "false it ended with status 7"
  assert_equal "$(told good)" "raised nat_missing $NODE"
  run_ok gpuaas-list attention --where code=notify_failed
  jq_is '[.object, .object_kind, .state, .command] | join(" ")' "bad hook failing gpuaas-state notify"
  # It gets the other notices, and none about itself.
  run_status 9 gpuaas-state notify
  assert_equal "$(told good)" "raised nat_missing $NODE
raised notify_failed bad"
  run_status 9 gpuaas-state notify
  assert_equal "$(wc -l < "$T/good.log")" 2
  assert_equal "$(audit notify_failed)" 1
  # Nothing it printed came into the state.
  refute_grep -q secret "$GPUAAS_STATE" "$GPUAAS_STATE-wal"
  touch "$T/well"
  notify
  assert_equal "$(< "$T/bad.log")" "raised 1"
  assert_equal "$(audit notify_works)" 1
  run_ok gpuaas-list attention --where code=notify_failed
  assert_equal "$output" ""
  notify
  assert_equal "$(told good | tail -n 1)" "cleared notify_failed bad"
  assert_equal "$(< "$T/bad.log")" "raised 1"
}

@test "what came and went while a hook failed it is not told; then it does not fail any more" {
  # shellcheck disable=SC2016 # for the hook
  hook a <<< '[[ -e $T/well ]] && cat >> "$T/a.log"'
  drift nat_missing "$NODE"
  run_status 9 gpuaas-state notify
  drift nothing
  # The first run sees that it is over, the next that nothing is owed.
  run gpuaas-state notify
  notify
  assert_equal "$(gpuaas-list attention --where code=notify_failed)" ""
  touch "$T/well"
  notify
  [[ ! -e $T/a.log ]]
}

@test "a hook that is new gets what is so now; one that is gone is forgotten" {
  keeper a
  drift nat_missing "$NODE"
  notify
  keeper b
  notify
  assert_equal "$(told b)" "raised nat_missing $NODE"
  assert_equal "$(wc -l < "$T/a.log")" 1
  mv "$GPUAAS_NOTIFY_DIR/b" "$T/b"
  drift nothing
  notify
  assert_equal "$(told a | tail -n 1)" "cleared nat_missing $NODE"
  mv "$T/b" "$GPUAAS_NOTIFY_DIR/b"
  drift pci_missing "$NODE"
  notify
  assert_equal "$(told b)" "raised nat_missing $NODE
raised pci_missing $NODE"
  # A folder that is away or empty is no reason to forget which hook got which notice.
  mv "$GPUAAS_NOTIFY_DIR" "$T/away"
  notify
  assert_stderr "there is no hook in"
  mv "$T/away" "$GPUAAS_NOTIFY_DIR"
  notify
  assert_equal "$(wc -l < "$T/a.log")" 3
}

@test "only executables that belong to root and that nobody else may write are run" {
  drift nat_missing "$NODE"
  for name in group world other link; do
    keeper "$name"
  done
  chmod 775 "$GPUAAS_NOTIFY_DIR/group"
  chmod 757 "$GPUAAS_NOTIFY_DIR/world"
  chown 65534 "$GPUAAS_NOTIFY_DIR/other"
  mv "$GPUAAS_NOTIFY_DIR/link" "$T/elsewhere"
  ln -s "$T/elsewhere" "$GPUAAS_NOTIFY_DIR/link"
  # These are no hooks at all.
  keeper plain
  chmod 644 "$GPUAAS_NOTIFY_DIR/plain"
  cp "$T/elsewhere" "$GPUAAS_NOTIFY_DIR/edited~"
  cp "$T/elsewhere" "$GPUAAS_NOTIFY_DIR/old.dpkg-old"
  cp "$T/elsewhere" "$GPUAAS_NOTIFY_DIR/.hidden"
  install -d "$GPUAAS_NOTIFY_DIR/folder"
  run_status 9 gpuaas-state notify
  assert_equal "$output" ""
  assert_equal "$(find "$T" -maxdepth 1 -name '*.log')" ""
  assert_equal "$(gpuaas-list attention --where code=notify_failed | jq -r .object | paste -sd ' ')" \
    "group link other world"
  # Mended, and nothing needs a person on their account.
  chmod 755 "$GPUAAS_NOTIFY_DIR"/{group,world}
  chown 0 "$GPUAAS_NOTIFY_DIR/other"
  rm "$GPUAAS_NOTIFY_DIR/link"
  notify
  grep -qx "raised nat_missing $NODE" <(told other)
  assert_equal "$(gpuaas-list attention --where code=notify_failed)" ""
  # A folder into which somebody else can put one.
  chmod 1777 "$GPUAAS_NOTIFY_DIR"
  run_status 6 gpuaas-state notify
  assert_stderr "users other than root could put hooks"
  chmod 755 "$GPUAAS_NOTIFY_DIR"
  chown 65534 "$GPUAAS_NOTIFY_DIR"
  run_status 6 gpuaas-state notify
}

@test "a hook gets nothing but its environment, the record, and no descriptor" {
  # shellcheck disable=SC2016 # for the hook
  hook a <<< 'cat > "$T/record"; env | sort > "$T/env"; ls -l /proc/self/fd > "$T/fds"; echo noise'
  drift nat_missing "$NODE"
  exec 9< "$GPUAAS_STATE"
  SECRET=token PATH=$PATH notify
  exec 9<&-
  grep -vE '^(_|SHLVL|PWD|OLDPWD)=' "$T/env" > "$T/left"
  assert_equal "$(< "$T/left")" "GPUAAS_CHANGE=raised
GPUAAS_NOTICE=1
LC_ALL=C
PATH=$FIXED_PATH"
  refute_grep -q state.db "$T/fds"
  refute_output noise
}

@test "hooks that hang are killed with what they started, and given up; others go on" {
  keeper good
  # shellcheck disable=SC2016 # for the hook
  hook hangs <<< 'sleep 1000 & echo "$! $$" >> "$T/pids"; wait'
  for i in 1 2 3 4 5 6; do
    echo "gpuaas-aaaaaaa$i"
  done > "$T/names"
  mapfile -t names < "$T/names"
  drift domain_orphan "${names[@]}"
  run_status 9 gpuaas-state notify --deadline 1s --jobs 2
  assert_stderr "did not end within 1 s"
  assert_stderr "calls were not made"
  assert_equal "$(told good | wc -l)" 6
  # Two at once at most, and none after the first deadline.
  [[ $(wc -l < "$T/pids") -le 2 ]]
  while read -r pid self; do
    wait_for 10 has_ended "$pid"
    wait_for 10 has_ended "$self"
  done < "$T/pids"
  run_status 2 gpuaas-state notify --deadline 0
}

@test "no more run at once than --jobs says, and three failures in a row are enough" {
  # shellcheck disable=SC2016 # for the hook
  hook a <<< 'exec 9>> "$T/lock"; cat > /dev/null
    for n in 1 2 3 4 5 6 7 8; do mkdir "$T/at-$n" 2> /dev/null && break; done
    echo "$n" >> "$T/places"; flock 9; rmdir "$T/at-$n"'
  # shellcheck disable=SC2016 # for the hook
  hook b <<< 'echo x >> "$T/tries"; exit 1'
  mapfile -t names < <(printf 'gpuaas-%08d\n' $(seq 20))
  drift domain_orphan "${names[@]}"
  run_status 9 gpuaas-state notify --jobs 3
  assert_equal "$(wc -l < "$T/places")" 20
  [[ $(sort -n "$T/places" | tail -n 1) -le 3 ]]
  # Up to two more had begun when the third had failed.
  tries=$(wc -l < "$T/tries")
  ((tries >= 3 && tries <= 5))
}

@test "two runs do not tell at once, and a run that is stopped finishes the call it is at" {
  mkfifo "$T/go"
  # shellcheck disable=SC2016 # for the hook
  hook a <<< 'cat >> "$T/a.log"; read -r x < "$T/go"'
  mapfile -t names < <(printf 'gpuaas-%08d\n' $(seq 3))
  drift domain_orphan "${names[@]}"
  gpuaas-state notify --jobs 1 > "$T/out" 2> "$T/err" 3>&- &
  run=$!
  BG+=("$run")
  wait_for 20 test -s "$T/a.log"
  run_status 8 gpuaas-state notify
  assert_stderr "another gpuaas-state notify is at work"
  kill -TERM "$run"
  echo > "$T/go"
  status=0
  wait "$run" || status=$?
  assert_equal "$status" 8
  # One call, and it is written down: nobody hears that again.
  assert_equal "$(jq -r .told "$T/out")" true
  assert_equal "$(wc -l < "$T/a.log")" 1
  keeper a
  notify
  assert_equal "$(jq -r .notice "$T/a.log" | sort | uniq -d)" ""
  assert_equal "$(wc -l < "$T/a.log")" 3
}

@test "a run that is killed tells again what was not written down, under the same number" {
  mkfifo "$T/go"
  # shellcheck disable=SC2016 # for the hook
  hook a <<< 'cat >> "$T/a.log"; read -r x < "$T/go"'
  drift nat_missing "$NODE"
  gpuaas-state notify > "$T/out" 3>&- &
  run=$!
  BG+=("$run")
  wait_for 20 test -s "$T/a.log"
  kill -KILL "$run"
  wait "$run" || :
  echo > "$T/go"
  keeper a
  notify
  assert_equal "$(jq -r '[.notice, .change] | map(tostring) | join(" ")' "$T/a.log")" "1 raised
1 raised"
  run_ok gpuaas-state check
}

@test "hostile texts and hooks: long, with quotes, and one that reads nothing" {
  hook deaf <<< 'exec < /dev/null'
  keeper a
  # shellcheck disable=SC2016 # a name that a shell would run
  printf -v long 'x%.0s' {1..9000}
  drift domain_orphan '$(touch pwned) "; rm -rf ~ `x`' "é€😀" "$long"
  notify
  assert_equal "$(wc -l < "$T/a.log")" 3
  jq -es 'any(.[].sentence; startswith("$(touch pwned) \"; rm -rf ~ `x`: "))' "$T/a.log" > "$T/out"
  notify
  assert_equal "$output" ""
}

# ---- the examples ----

@test "the mail hook writes a mail that says what to run" {
  # shellcheck disable=SC2016 # for the inner shell
  printf '#!/bin/sh\necho "$*" > %q\ncat > %q\n' "$T/args" "$T/mail" > "$T/sendmail"
  chmod 755 "$T/sendmail"
  echo "TO=oncall@example.net" > "$T/mail.conf"
  sed "s|/etc/gpuaas/notify-mail.conf|$T/mail.conf|; s|/usr/sbin/sendmail|$T/sendmail|" "$SRC/share/notify/mail" \
    > "$T/hook"
  install -m 755 "$T/hook" "$GPUAAS_NOTIFY_DIR/mail"
  drift domain_orphan "gpuaas-é"
  notify
  assert_equal "$(< "$T/args")" "-i -t"
  /usr/bin/python3 - "$T/mail" "$NODE" << 'END'
import email, email.policy, sys
with open(sys.argv[1], "rb") as f:
    m = email.message_from_binary_file(f, policy=email.policy.default)
assert m["To"] == "oncall@example.net", m["To"]
assert m["Subject"] == "[gpuaas] raised: domain_orphan of node " + sys.argv[2], m["Subject"]
text = m.get_content()
assert "gpuaas-é: expected this, and the host shows that" in text, text
assert "    gpuaas-show x\n" in text, text
END
  # Acknowledged: who, until when, and why.
  run_ok gpuaas-state acknowledge "$NODE" --reason "a NIC comes on Friday" --until 3d
  notify
  sed '1,/^$/d' "$T/mail" | base64 -d > "$T/text"
  grep -qE '^This is acknowledged until .* by .*: a NIC comes on Friday$' "$T/text"
  run_ok gpuaas-state acknowledge "$NODE" --remove
  notify
  # Without an address it fails, and says why.
  : > "$T/mail.conf"
  drift nothing
  run_status 9 gpuaas-state notify
  assert_stderr "has no line TO=ADDRESS"
}

@test "the webhook posts the record, with what its file says and nothing in its arguments" {
  command -v curl > /dev/null || skip "curl is missing"
  cat > "$T/server" << 'END'
import http.server, json, sys
class H(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[1] + "/posted", "a") as f:
            print(json.dumps([self.path, self.headers["Authorization"], json.loads(body)]), file=f)
        self.send_response(500 if "/no" in self.path else 204)
        self.end_headers()
    def log_message(self, *a):
        pass
s = http.server.HTTPServer(("127.0.0.1", 0), H)
with open(sys.argv[1] + "/port.new", "w") as f:
    print(s.server_port, file=f)
import os
os.rename(sys.argv[1] + "/port.new", sys.argv[1] + "/port")
s.serve_forever()
END
  background /usr/bin/python3 "$T/server" "$T"
  wait_for 20 test -s "$T/port"
  printf 'url = "http://127.0.0.1:%s/yes"\nheader = "Authorization: Bearer t"\n' "$(< "$T/port")" > "$T/webhook.conf"
  sed "s|/etc/gpuaas/notify-webhook.conf|$T/webhook.conf|" "$SRC/share/notify/webhook" > "$T/hook"
  install -m 755 "$T/hook" "$GPUAAS_NOTIFY_DIR/webhook"
  drift nat_missing "$NODE"
  notify
  assert_equal "$(jq -r '[.[0], .[1], .[2].code, .[2].change] | join(" ")' "$T/posted")" \
    "/yes Bearer t nat_missing raised"
  sed -i 's|/yes|/no|' "$T/webhook.conf"
  drift nothing
  run_status 9 gpuaas-state notify
  sed -i 's|/no|/yes|' "$T/webhook.conf"
  notify
  assert_equal "$(jq -r '.[2] | [.change, .notice] | map(tostring) | join(" ")' "$T/posted" | tail -n 1)" "cleared 1"
}
