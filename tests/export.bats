# SPDX-License-Identifier: Apache-2.0
# gpuaas-export openmetrics: the numbers, the format as Prometheus and node_exporter read it, and the
# alerts that watch it.

load helper

# fleet NODES: that many nodes of 8 free slots, in a lab
fleet()
{
  gpuaas-state init --lab > "$T/init"
  gpuaas-state apply "$SRC/share/objects/lab.json" > "$T/apply"
  setup_host h200
  in_host gpuaas-discover > "$T/pattern"
  "$GPUAAS_BUILD/bench/fleet" "$GPUAAS_STATE" "$1" < "$T/pattern"
  digest=sha256:$(printf 'a%.0s' {1..64})
  jq_in_order -cn --arg digest "$digest" '{kind: "gpuaas.image/1", name: "lab", digest: $digest, format: "raw",
    file_bytes: 1048576, size_bytes: 1048576, firmware: "bios", probe: "running", user: "ubuntu"}' > "$T/image"
  gpuaas-list nodes | jq_in_order -c --arg digest "$digest" '{kind: "gpuaas.node-image/1", node, image: "lab",
    digest: $digest, path: "/images/lab.raw", verified_at: "2026-11-20T00:00:00.000000Z"}' >> "$T/image"
  gpuaas-state apply "$T/image" > "$T/apply"
  mkdir -p "$T/backup"
  export GPUAAS_BACKUPS=$T/backup
}

metrics()
{
  run_ok gpuaas-export openmetrics "$@"
}

# value SAMPLE NUMBER: the sample, written as it stands there, has that value
value()
{
  local found
  found=$(grep -F -- "$1 " <<< "$output" | grep -v '^#') || { echo "no sample $1"; return 1; }
  assert_equal "$found" "$1 $2"
}

# Prometheus and the strict parser of OpenMetrics accept $output and print nothing.
well_formed()
{
  command -v promtool > /dev/null || skip "promtool is missing (package prometheus)"
  printf '%s\n' "$output" > "$T/out.prom"
  promtool check metrics < "$T/out.prom" > "$T/said" 2>&1 || { cat "$T/said"; return 1; }
  assert_equal "$(< "$T/said")" ""
  /usr/bin/python3 -c 'import prometheus_client' 2> /dev/null ||
    skip "prometheus_client is missing (package python3-prometheus-client)"
  /usr/bin/python3 - "$T/out.prom" << 'END'
import sys
from prometheus_client.openmetrics.parser import text_string_to_metric_families
with open(sys.argv[1], encoding="utf-8") as text:
    families = list(text_string_to_metric_families(text.read()))
assert len(families) > 20, len(families)
for f in families:
    assert f.type == "gauge", f
    assert f.documentation, f
    assert f.unit == next((u for u in ("seconds", "bytes") if f.name.endswith("_" + u)), ""), f
    assert all(s.timestamp is None for s in f.samples), f
END
}

@test "the metrics of a fleet are what the lists say, and well formed" {
  fleet 3
  gpuaas-place --profile lab --gpus 2 --project vision > "$T/plan"
  gpuaas-node drain n00003 --reason fan > "$T/out" || :
  before=$(date +%s)
  metrics
  assert_equal "${lines[-1]}" "# EOF"
  value 'gpuaas_nodes{mode="slice",state="active"}' 2
  value 'gpuaas_nodes{mode="slice",state="draining"}' 1
  node=$(jq -r .node "$T/plan")
  type=$(gpuaas-list slots --limit 1 | jq -r .accelerator_type)
  value "gpuaas_slots{node=\"$node\",type=\"$type\",state=\"reserved\"}" 2
  value "gpuaas_slots{node=\"$node\",type=\"$type\",state=\"available\"}" 6
  value 'gpuaas_allocations{state="placed",project="vision",profile="lab"}' 1
  value "gpuaas_build_info{version=\"$(gpuaas-export --version | cut -d' ' -f2)\",schema=\"$(
    state_sql 'PRAGMA user_version')\",lab=\"true\"}" 1
  value gpuaas_state_epoch 1
  # Times are those of the records.
  seen=$(gpuaas-list nodes --where "node=$node" | jq -r '.observed_at|.[:19]+"Z"|fromdate')
  assert_output "gpuaas_node_observed_timestamp_seconds{node=\"$node\",state=\"active\"} $seen."
  value "gpuaas_node_reconciled_timestamp_seconds{node=\"$node\",state=\"active\"}" 0.000000
  at=$(sed -n 's/^gpuaas_export_timestamp_seconds \([0-9]*\)\..*/\1/p' <<< "$output")
  ((at >= before && at <= before + 60))
  # The day's wipes are those the fleet was made with.
  value 'gpuaas_wipe_evidence{outcome="confirmed",class="clear"}' 24
  value 'gpuaas_phase_runs{phase="wipe",outcome="finished"}' 24
  well_formed
}

@test "every count of available slots leaves a cordoned one out" {
  fleet 1
  slot=$(gpuaas-list slots --limit 1 -o name)
  type=$(gpuaas-list slots --limit 1 | jq -r .accelerator_type)
  node=$(gpuaas-list nodes -o name)
  gpuaas-approve cordon "$slot" --reason fan > "$T/out"
  gpuaas-node set "$node" --region eu1 > "$T/out"
  metrics
  value "gpuaas_slots{node=\"$node\",type=\"$type\",state=\"available\"}" 7
  value "gpuaas_slots{node=\"$node\",type=\"$type\",state=\"disabled\"}" 1
  for list in nodes regions pools; do
    assert_equal "$(gpuaas-list "$list" | jq .available)" 7
  done
  assert_equal "$(gpuaas-profile list | jq .availableCount)" 7
}

@test "an empty state has metrics too" {
  gpuaas-state init > "$T/init"
  GPUAAS_BACKUPS=$T/none metrics
  value gpuaas_backups 0
  value gpuaas_backup_newest_timestamp_seconds 0.000000
  assert_output 'lab="false"'
  refute_output 'gpuaas_slots{'
  well_formed
}

@test "hostile types and codes are escaped, and a reader gets them back" {
  fleet 1
  state_sql "UPDATE slot SET accelerator_type = CASE slot_index WHEN 0 THEN 'a\"b' WHEN 1 THEN 'a\\b'
    WHEN 2 THEN 'a' || char(10) || '# EOF' WHEN 3 THEN 'é€😀' WHEN 4 THEN char(27) || '[2J' WHEN 5 THEN '}'
    WHEN 6 THEN replace(hex(zeroblob(4000)), '0', 'x') END, generation = generation + 1"
  metrics
  assert_equal "$(grep -c '^gpuaas_slots{' <<< "$output")" 8
  assert_output 'type="a\"b"'
  assert_output 'type="a\\b"'
  assert_output 'type="a\n# EOF"'
  assert_output 'type="é€😀"'
  assert_output 'type="\\x1b[2J"'
  assert_output 'type="unknown"'
  assert_equal "$(grep -c '^# EOF$' <<< "$output")" 1
  well_formed
  # And as bytes that are no text.
  state_sql "UPDATE slot SET accelerator_type = CAST(x'ff41' AS TEXT), generation = generation + 1
    WHERE slot_index = 0"
  metrics
  assert_output 'type="\\xffA"'
  well_formed
}

@test "labels that people choose are bounded" {
  fleet 1
  # 600 projects that wait, one of them with two allocations.
  state_sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 600)
    INSERT INTO allocation (id, project, shape, count, state, since, profile, profile_version, price_micros,
      created_at, created_by, request, profile_record)
    SELECT 'a' || i, CASE WHEN i = 600 THEN 'p599' ELSE 'p' || i END, 'slice', 1, 'pending',
      '2026-11-20T00:00:00.000000Z', 'lab', 1, 0, '2026-11-20T00:00:00.000000Z', 'me', '{}', '{}' FROM n"
  metrics
  assert_equal "$(grep -c '^gpuaas_allocations{' <<< "$output")" 501
  value 'gpuaas_allocations{state="pending",project="p599",profile="lab"}' 2
  value 'gpuaas_allocations{state="pending"}' 99
  value 'gpuaas_allocations_oldest_timestamp_seconds{state="pending"}' "$(date -ud 2026-11-20 +%s).000000"
  well_formed
}

@test "phases of the last day by percentile, with failures; older ones and ports are left out" {
  fleet 1
  # 200 clones of 1 to 200 s, in no order; two that failed, one that runs; one of the day before.
  state_sql "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    INSERT INTO task (object, attempt, phase, state, started_at, finished_at, elapsed_micros)
    SELECT 'x', 'a' || i, 'clone', 'finished', '2026-01-01T00:00:00.000000Z',
      strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '-' || (i % 23) || ' hours'), ((i * 77) % 200 + 1) * 1000000 FROM n;
    INSERT INTO task (object, attempt, phase, state, started_at, finished_at, elapsed_micros) VALUES
      ('x', 'f1', 'clone', 'failed', '2026-01-01T00:00:00.000000Z', strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'), 999000000),
      ('x', 'f2', 'clone', 'failed', '2026-01-01T00:00:00.000000Z', strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'), NULL),
      ('x', 'r', 'clone', 'running', '2026-01-01T00:00:00.000000Z', NULL, 5),
      ('x', 'o', 'clone', 'finished', '2026-01-01T00:00:00.000000Z',
        strftime('%Y-%m-%dT%H:%M:%f000Z', 'now', '-25 hours'), 999000000),
      ('x', 'p', 'publish_tcp_8080', 'finished', '2026-01-01T00:00:00.000000Z',
        strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'), NULL),
      ('x', 's', 'seed', 'finished', '2026-01-01T00:00:00.000000Z', strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'), 250000),
      ('x', 'd', 'disk_2', 'finished', '2026-01-01T00:00:00.000000Z',
        strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'), NULL),
      ('x', 'v', 'vm_stopped', 'finished', '2026-01-01T00:00:00.000000Z',
        strftime('%Y-%m-%dT%H:%M:%f000Z', 'now'), NULL)"
  metrics
  value 'gpuaas_phase_duration_seconds{phase="clone",percentile="50"}' 100.000000
  value 'gpuaas_phase_duration_seconds{phase="clone",percentile="95"}' 190.000000
  value 'gpuaas_phase_duration_seconds{phase="clone",percentile="99"}' 198.000000
  value 'gpuaas_phase_duration_seconds{phase="clone",percentile="100"}' 200.000000
  value 'gpuaas_phase_runs{phase="clone",outcome="finished"}' 200
  value 'gpuaas_phase_runs{phase="clone",outcome="failed"}' 2
  # One is its own every percentile; a step that was not timed has none.
  value 'gpuaas_phase_duration_seconds{phase="seed",percentile="50"}' 0.250000
  value 'gpuaas_phase_duration_seconds{phase="seed",percentile="99"}' 0.250000
  value 'gpuaas_phase_runs{phase="vm_stopped",outcome="finished"}' 1
  refute_output 'gpuaas_phase_duration_seconds{phase="vm_stopped"'
  # The second of an order counts by its name.
  value 'gpuaas_phase_runs{phase="disk",outcome="finished"}' 1
  refute_output publish_
  well_formed
}

@test "drift, attention, use and the wipe queue" {
  fleet 2
  node=$(gpuaas-list nodes --limit 1 | jq -r .node)
  at=2026-11-20T10:00:00.000000Z
  for code in nat_missing pci_binding nat_missing; do
    jq_in_order -cn --arg node "$node" --arg at $at --arg code $code --arg n $((++i)) '{kind:"gpuaas.drift/1", node:$node,
      object:"x\($n)", code:$code, severity:"error", expected:"this", observed:"that", observation:"bad",
      age_seconds:0, repair:null, command:"gpuaas-show x", repaired:false, at:$at}'
  done > "$T/drifts"
  know_keys
  by_node < "$T/drifts" | gpuaas-state fold - > "$T/out"
  slot=$(gpuaas-list slots --limit 1 | jq -r .slot)
  gpuaas-approve quarantine "$slot" --reason smoke > "$T/out"
  # A wipe that was ordered.
  other=$(gpuaas-list slots --where state=available --limit 1 | jq -r .slot)
  gpuaas-approve disable "$other" --reason look > "$T/out"
  gpuaas-approve repair "$other" --reason look > "$T/order" || gpuaas-approve enable "$other" > "$T/order"
  metrics
  value 'gpuaas_drift{severity="error",code="nat_missing"}' 2
  value 'gpuaas_drift{severity="error",code="pci_binding"}' 1
  for code in $(gpuaas-list attention | jq -r .code | sort -u); do
    value "gpuaas_attention{code=\"$code\"}" "$(gpuaas-list attention --where "code=$code" | wc -l)"
  done
  value 'gpuaas_attention_oldest_timestamp_seconds{code="nat_missing"}' "$(date -ud $at +%s).000000"
  assert_output 'gpuaas_attention{code="quarantined"} 1'
  waiting=$(gpuaas-list slots --where state=wiping | wc -l)
  [[ $waiting -eq 0 ]] || value gpuaas_wipe_orders "$waiting"
  well_formed
}

@test "GPUs that are billed, and what they cost" {
  fleet 1
  jq_in_order -c 'select(.kind == "gpuaas.profile/1") | .price_micros = 10500000' "$SRC/share/objects/lab.json" \
    > "$T/profile"
  gpuaas-state apply "$T/profile" > "$T/out"
  id=$(gpuaas-place --profile lab --gpus 4 --project vision | jq -r .allocation)
  gpuaas-list allocations --where "allocation=$id" | jq_in_order -c '.state = "active" |
    .power_observed = "on" | .since = (now | todate | sub("Z"; ".000000Z"))' > "$T/result"
  know_keys
  by_node < "$T/result" | gpuaas-state fold - > "$T/folded"
  type=$(gpuaas-list slots --limit 1 | jq -r .accelerator_type)
  metrics
  value "gpuaas_usage_open_gpus{kind=\"active\",type=\"$type\",project=\"vision\"}" 4
  value "gpuaas_usage_open_cost_per_hour{type=\"$type\"}" 42.000000
  well_formed
}

@test "backups: the newest by its name, findings apart, and what is no backup" {
  fleet 1
  touch "$T/backup/state-20261121T020000Z.db" "$T/backup/state-20261121T030000Z.db" \
    "$T/backup/state-20261121T040000Z.db.findings" "$T/backup/state-20991121T040000Z.db-wal" \
    "$T/backup/notes" "$T/backup/.state-20261121T050000Z.db.new"
  metrics
  value gpuaas_backups 2
  value gpuaas_backups_with_findings 1
  value gpuaas_backup_newest_timestamp_seconds "$(date -ud '2026-11-21 03:00' +%s).000000"
  value 'gpuaas_state_size_bytes{file="main"}' "$(stat -c %s "$GPUAAS_STATE")"
  # One that was made now.
  gpuaas-state backup --keep 5 "$T/kept" > "$T/out"
  metrics --backups "$T/kept"
  value gpuaas_backups 1
  newest=$(sed -n 's/^gpuaas_backup_newest_timestamp_seconds \([0-9]*\)\..*/\1/p' <<< "$output")
  (($(date +%s) - newest < 60))
  # A path that is no folder is refused, and nothing is written.
  run_status 10 gpuaas-export openmetrics --backups "$T/backup/notes"
  assert_equal "$output" ""
}

@test "a device, a pipe, a link, a folder and the state are not replaced" {
  local words cmd to
  gpuaas-state init --lab > "$T/init"
  mkfifo "$T/pipe"
  ln -s file "$T/link"
  mkdir "$T/folder"
  echo before > "$T/file"
  ln "$GPUAAS_STATE" "$T/other-name"
  [[ $EUID -ne 0 ]] || mknod "$T/device" c 1 3
  for words in "gpuaas-export openmetrics --output" "gpuaas-profile list --public --output" "gpuaas-state backup"; do
    read -ra cmd <<< "$words"
    for to in pipe link folder device other-name; do
      [[ -e $T/$to ]] || continue
      stat -c '%F %i %a' "$T/$to" > "$T/is"
      run_status 4 "${cmd[@]}" "$T/$to"
      assert_stderr "replaced"
      stat -c '%F %i %a' "$T/$to" | diff "$T/is" -
    done
    run_ok "${cmd[@]}" "$T/file"
  done
  run_status 4 gpuaas-state backup "$GPUAAS_STATE"
  run_status 2 gpuaas-export openmetrics --output -
  run_status 2 gpuaas-profile list --public --output -
  [[ -z $(find . -maxdepth 1 -name '-*') ]]
}

@test "--output replaces the file whole, readable by everybody, or leaves it" {
  fleet 1
  mkdir "$T/out"
  echo old > "$T/out/gpuaas.prom"
  chmod 600 "$T/out/gpuaas.prom"
  run_ok gpuaas-export openmetrics --output "$T/out/gpuaas.prom"
  assert_equal "$output" ""
  assert_equal "$(stat -c %a "$T/out/gpuaas.prom")" 644
  assert_equal "$(tail -n 1 "$T/out/gpuaas.prom")" "# EOF"
  assert_equal "$(ls "$T/out")" gpuaas.prom
  metrics
  diff <(sed '/_timestamp_seconds\|size_bytes\|free_bytes/d' <<< "$output") \
    <(sed '/_timestamp_seconds\|size_bytes\|free_bytes/d' "$T/out/gpuaas.prom")
  cp "$T/out/gpuaas.prom" "$T/before"
  run_status 5 gpuaas-export openmetrics --output "$T/out/gpuaas.prom" --state "$T/none.db"
  cmp "$T/before" "$T/out/gpuaas.prom"
  run_status 10 gpuaas-export openmetrics --output "$T/nowhere/gpuaas.prom"
  assert_stderr "its folder must be there"
  assert_equal "$(ls "$T/out")" gpuaas.prom
  run_status 10 bash -c 'gpuaas-export openmetrics > /dev/full'
}

# A port of this machine that nobody listens on.
free_port()
{
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

scraped()
{
  curl -sf "http://127.0.0.1:$PORT/metrics" > "$T/scrape" && grep -q node_textfile_scrape_error "$T/scrape"
}

@test "node_exporter takes the file, and hands out what is in it" {
  command -v prometheus-node-exporter > /dev/null || skip "prometheus-node-exporter is missing"
  fleet 1
  state_sql "UPDATE slot SET accelerator_type = 'a\"b\\' || char(10) || 'é', generation = generation + 1
    WHERE slot_index = 0"
  mkdir "$T/textfile"
  run_ok gpuaas-export openmetrics --output "$T/textfile/gpuaas.prom"
  PORT=$(free_port)
  background prometheus-node-exporter --collector.disable-defaults --collector.textfile \
    --collector.textfile.directory="$T/textfile" --web.listen-address="127.0.0.1:$PORT" 2> "$T/exporter"
  wait_for 20 scraped || { cat "$T/exporter"; false; }
  grep -qx 'node_textfile_scrape_error 0' "$T/scrape"
  grep -q '^node_textfile_mtime_seconds{file=.*gpuaas.prom"}' "$T/scrape"
  grep -qF 'type="a\"b\\\né"' "$T/scrape"
  # Every sample of the file is there.
  assert_equal "$(grep -c '^gpuaas_' "$T/scrape")" "$(grep -c '^gpuaas_' "$T/textfile/gpuaas.prom")"
  # It would see a file that is refused.
  printf '# TYPE gpuaas_x info\ngpuaas_x{a="b"} 1\n' > "$T/textfile/gpuaas.prom"
  scraped
  grep -qx 'node_textfile_scrape_error 1' "$T/scrape"
}

# ---- alerts ----

@test "promtool finds the rules right, and their tests pass" {
  command -v promtool > /dev/null || skip "promtool is missing (package prometheus)"
  run_ok promtool check rules "$SRC/share/alerts/gpuaas.rules.yml"
  run_ok promtool test rules "$SRC"/tests/alerts/*.yml
  # A rule that asks for something else is seen.
  mkdir -p "$T/tree/share/alerts" "$T/tree/tests/alerts"
  cp "$SRC"/tests/alerts/*.yml "$T/tree/tests/alerts"
  sed 's/percentile="95"/percentile="50"/' "$SRC/share/alerts/gpuaas.rules.yml" \
    > "$T/tree/share/alerts/gpuaas.rules.yml"
  run_status 1 promtool test rules "$T"/tree/tests/alerts/*.yml
}

alerts()
{
  sed -n 's/^ *- alert: //p' "$SRC/share/alerts/gpuaas.rules.yml"
}

@test "each alert is tested, says what to run, and stands in gpuaas-operations(7)" {
  sed -n '/^\.Sh ALERTS/,/^\.Sh [^A]/s/^\.It Sy \(Gpuaas[A-Za-z]*\)$/\1/p' "$SRC/man/gpuaas-operations.7" > "$T/page"
  assert_equal "$(sort "$T/page" | uniq -d)" ""
  # In the order of the rules, and no others.
  diff <(alerts) "$T/page"
  for alert in $(alerts); do
    grep -q "alertname=\"$alert\"\|alertname: $alert$" "$SRC/tests/alerts/firing.yml" ||
      { echo "$alert fires in no test"; false; }
    sed -n "/- alert: $alert\$/,/- alert:/p" "$SRC/share/alerts/gpuaas.rules.yml" > "$T/rule"
    for key in 'for: ' 'severity: ' 'summary: ' 'run: ' "runbook: gpuaas-operations(7), ALERTS, $alert\$"; do
      grep -q "$key" "$T/rule" || { echo "$alert lacks $key"; false; }
    done
  done
  assert_equal "$(alerts | wc -l)" "$(grep -c 'runbook: ' "$SRC/share/alerts/gpuaas.rules.yml")"
}

@test "every metric that is written is in the page, and every one that a rule asks for is written" {
  fleet 1
  metrics
  sed -n 's/^# TYPE \([a-z_]*\) gauge$/\1/p' <<< "$output" | sort > "$T/written"
  assert_equal "$(uniq -d "$T/written")" ""
  sed -n '/^\.Sh METRICS/,/^\.Sh EXIT/{/^\.It Sy/p}' "$SRC/man/gpuaas-export.1" |
    grep -oE 'gpuaas_[a-z_]*' | sort > "$T/page"
  diff "$T/page" "$T/written"
  grep -E '^ *expr: ' "$SRC/share/alerts/gpuaas.rules.yml" | grep -oE 'gpuaas_[a-z_]+' | sort -u |
    grep -vxE 'gpuaas_[a-z]*_$' > "$T/asked"
  run_ok comm -23 "$T/asked" "$T/written"
  assert_equal "$output" ""
  # The labels in the page are those that are written.
  while read -r name labels; do
    want=$(sed -n "s/^\.It Sy $name Ns Brq //p" "$SRC/man/gpuaas-export.1" | tr -d ' ' | tr , '\n' | sort)
    for label in $labels; do
      grep -qx "$label" <<< "$want" || { echo "gpuaas-export(1) lacks {$label} of $name"; false; }
    done
  done < <(metrics && sed -nE 's/^(gpuaas_[a-z_]+)\{(.*)\} .*/\1 \2/p' <<< "$output" |
    sed -E 's/="([^"\\]|\\.)*",?/ /g' | sort -u)
}
