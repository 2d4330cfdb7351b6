# SPDX-License-Identifier: Apache-2.0
#
# The adapter for Slurm (share/adapters/slurm) reads and writes JSON by this: the requests of
# gpuaas-validate as lines for the shell, and the answers of Slurm's clients as results.

# ---- hello ----

# Notions that Slurm does not have, and where its documentation says so.
def lacks:
  [["advance", "time is that of the machine", "slurm.conf(5): no setting of a clock"],
   ["alerts", "strigger runs a program once; no alert stands and clears", "strigger(1)"],
   ["elastic", "a user shrinks a job, the scheduler never does", "faq.html#job_size"],
   ["evictions_cap", "nothing limits the number of preemptions", "preempt.html#config"],
   ["fault_cluster", "this adapter makes no federation, of which a cluster could go away",
    "federation.html"],
   ["history", "usage can be set to 0 only", "sacctmgr(1), RawUsage"],
   ["lending_limit", "a limit bounds what an account uses, not what others use of its share",
    "resource_limits.html"],
   ["lifo", "age only raises a priority", "priority_multifactor.html#age"],
   ["moving", "a preempted job is cancelled, requeued or suspended", "preempt.html#config"],
   ["snapshot", "the state is saved for slurmctld alone", "slurm.conf(5), StateSaveLocation"],
   ["replay", "no command decides a saved state again", "scontrol(1)"]] |
  map({need: .[0], sentence: .[1], reference: .[2]});

# Notions that need files of the cluster, so the Slurm of tests/slurm.
def of_lab: ["fault_controller", "fault_device", "fault_node", "fault_wipe", "strict", "switches",
  "wipes"];

def hello: $ARGS.named as {$version, $conf} | (env.SLURM_LAB // "") as $lab |
  {technology: "slurm", $version, class: "system", clock: "real", max_jobs: 500,
   components: ["slurmctld", "slurmd", "slurmdbd"] | map({name: ., $version}),
   configuration: $conf,
   supports: (["best_effort", "change", "client", "clusters", "dry_run", "events", "explain",
     "fair_share", "gangs", "grace", "guarantees", "limits", "min_runtime", "over_quota",
     "preemption", "priorities", "queue_tree", "queues", "reclaim", "resources", "rights", "state",
     "tenant_view", "trace", "type_limits", "types", "user_limits"] +
     if $lab == "" then [] else of_lab end),
   lacks: (lacks + if $lab != "" then [] else of_lab | map({need: .,
     sentence: "only in a Slurm of its own, which SLURM_LAB names",
     reference: "share/adapters/slurm"}) end)};

# ---- requests as lines ----

def line(separator): map(tostring) | join(separator);

def node_lines: .nodes[] |
  [.name, .slots, .type, .declared_slots, .vcpus, .memory_mib, .switch] | map(. // "-") | line(" ");

# Settings of slurm.conf without which the queues are not what they should be.
def settings: if any(.queues[]; .weight) then "PriorityWeightFairshare=50000" else empty end,
  if any(.queues[]; .policy == "strict") then "SchedulerType=sched/builtin" else empty end;

# People of the scenarios are users that every machine has.
def user: {ann: "daemon", bob: "bin"}[.] // error("user '\(.)' is not known");

# A queue alone needs no guarantee against others.
def queue_lines: ($ARGS.named.known // "0" | tonumber) as $known |
  (.queues | length == 1 and $known < 2) as $alone | .queues[] |
  [.name, .parent // "", if $alone then 0 else .guaranteed // 0 end, .limit // -1,
   ([.types[]? | select(.limit) | ",gres/gpu:\(.type)=\(.limit)"] | add // ""), .weight // 1,
   .user_limit // "", .min_runtime_seconds // 0, .grace_seconds // 0,
   ([.users[]? | user] | join(","))] | line("|");

def queues_result: $ARGS.named.settings as $settings |
  {ignored: [.queues[] | .name as $queue | keys[] | select(IN("lending_limit", "borrowing_limit",
     "order", "half_life_seconds", "evictions_a_round", "reclaim", "within_queue", "priority")) |
     "\($queue): \(.)"],
   workarounds: ([if [.queues[] | select(.guaranteed)] | length > 1 then
     "a job above the guarantee is submitted to a QOS of its own" else empty end] +
     ($settings | split(" ")))};

# A job as name, queue, user, slots of all nodes, priority, f when it may not be preempted, seconds,
# true when it ignores SIGTERM, and options of sbatch. The member of a gang that never starts is not
# there: Slurm knows no readiness.
def job_line: [.name, .queue, (.user | if . then user else "" end), .slots * (.nodes // 1),
  .priority // 0, if .not_preemptible then "f" else "" end, .run_seconds // "", .ignores_stop // "",
  (["-N", .nodes // 1, "--ntasks-per-node=1", "-c", .vcpus // 1,
   "--gres=gpu:\(if .types then .types[0] + ":" else "" end)\(.slots)",
   if .memory_mib then "--mem=\(.memory_mib)" else empty end,
   if .run_seconds then "--time=\((.run_seconds + 59) / 60 | floor)" else empty end] | line(" "))] |
  line("|");

# Such a line with what .priority and .queue of the request change.
def changed: . as $new | $ARGS.named.line / "|" | .[1] = ($new.queue // .[1]) |
  .[4] = ($new.priority // .[4]) | line("|");

# A new QOS beside those of the lines: those that may preempt it ("a,b"), then what it is made with.
# A queue preempts lower priorities of its own, and within its guarantee what others have above it.
def qos:
  def parts: capture("^v-(?<queue>.+)-(?<class>own|over)-(?<priority>[0-9]+)(?<fixed>f?)$") |
    .priority |= tonumber;
  def may($other): $other.fixed == "" and if .queue == $other.queue
    then .priority > $other.priority else .class == "own" and $other.class == "over" end;
  $ARGS.named as {$qos, $grace, $young, $guarantee, $most} | ($qos | parts) as $new |
  [inputs | select(. != "")] | map(select(parts as $old | $new | may($old))) as $mine |
  (map(select(parts | may($new))) | join(",")),
  "GraceTime=\($grace)",
  "Priority=\($new.priority + if $new.class == "own" then 100000 else 0 end)",
  if $new.class == "own" and $guarantee != "0" then "GrpTRES=gres/gpu=\($guarantee)" else empty end,
  # Where a QOS has a limit, that of the user's association does not count.
  if $new.class == "own" and $most != "" then "MaxTRESPerUser=gres/gpu=\($most)" else empty end,
  if $young != "0" then "PreemptExemptTime=" + ($young | tonumber | strftime("%T")) else empty end,
  if $mine != [] then "Preempt=" + ($mine | join(",")) else empty end;

def client_line: "env", "TZ=" + (.tz // "UTC0"), "LC_ALL=" + (.locale // "C");

# ---- answers of Slurm ----

# Lines "name id answer of sbatch", by tabs; no id where it was refused.
def submitted: {jobs: [inputs | split("\t") | {name: .[0]} + if .[1] != "" then {id: .[1]} else
  {reason: {native: .[2], code: (.[2] | if test("ccount/qos limits|olicy") then "limit"
    elif test("nvalid account") then "queue_denied"
    elif test("not available|equested node configuration") then "never_possible"
    else "refused" end)}} end]};

# "NAME=VALUE NAME=VALUE" of scontrol -o as an object.
def fields: [scan("(\\S+?)=(\\S*)") | {key: .[0], value: .[1]}] | from_entries;

def indexes: split(",") | map(split("-") | map(tonumber) | range(.[0]; .[-1] + 1));

# "a1,n[1-3,5]" as a list of names.
def node_names: [scan("([^,\\[]+)(?:\\[([^\\]]*)\\])?") | .[0] as $prefix |
  if .[1] then .[1] | indexes[] | "\($prefix)\(.)" else $prefix end];

def reason_code: {Resources: "no_capacity", Priority: "queue_ahead"}[.] //
  if test("^QOSGrp") then "quota" elif test("Grp|Max") then "limit" else null end;

def has_value: . != null and . != "" and . != "None" and . != "Unknown" and . != "(null)";

# The comment of the jobs of a run and the lines of scontrol show job -d -o, with 0x1e between.
def job_reports: try (split("\u001e") | .[0] as $run |
  {jobs: [.[1:][] | select(contains(" Comment=\($run) ")) | . as $line | fields |
  .JobState as $state | {name: .JobName, id: .JobId,
  state: ({PENDING: "pending", RUNNING: "running", COMPLETING: "stopping", COMPLETED: "done",
    CANCELLED: "done", TIMEOUT: "done", PREEMPTED: "evicted", CONFIGURING: "pending",
    REQUEUED: "pending", STOPPED: "stopping", SUSPENDED: "stopping"}[$state] // "failed"),
  places: [if $state == "RUNNING" or $state == "COMPLETING" then $line |
    scan("Nodes=(\\S+) CPU_IDs=\\S+ Mem=\\S+ GRES=gpu(?::\\w+)?:(\\d+)\\(IDX:([0-9,-]+)\\)") |
    (.[0] | node_names[]) as $node |
    {$node, count: (.[1] | tonumber), slots: [.[2] | indexes[]]} else empty end],
  started_count: ((.Restarts | tonumber) + if $state == "PENDING" then 0 else 1 end)} +
  if $state == "PENDING" and (.Reason | has_value) then {reason: ({native: .Reason} +
    (.Reason | reason_code | if . then {code: .} else {} end))} else {} end]}) catch "";

# The line of scontrol show job that the reader got.
def explanation: . as $line | fields |
  {job: $ARGS.named.name, as: $ARGS.named.reader, native: $line} +
  if .Reason | has_value then {text: .Reason} + (.Reason | reason_code | if . then {code: .}
    else {} end) else {} end +
  if .JobState == "PENDING" and (.StartTime | has_value) then {expected_start: .StartTime}
    else {} end +
  if .PreemptTime | has_value then {at: .PreemptTime} else {} end;

# Used and most GPUs of a line of scontrol show assoc_mgr: "gres/gpu=8(6)", N for no limit.
def gpus: [scan("GrpTRES=\\S*?gres/gpu=(N|\\d+)\\((\\d+)\\)")][0] |
  {limit: (.[0] | if . == "N" then null else tonumber end), used: (.[1] | tonumber)};

def gpus_of(name): [.[name] // "" | scan("gpu:(\\w+):(\\d+)")][0] // ["", "0"] |
  {type: .[0], count: (.[1] | tonumber)};

# Texts of scontrol -o show assoc_mgr, show node -d and show job.
def state: $ARGS.named as {$assoc, $nodes, $jobs} |
  ([$assoc | split("\n")[] | select(startswith("QOS=v-")) |
    gpus + (capture("^QOS=v-(?<queue>.+)-(?<class>own|over)-"))]) as $qos |
  ([$jobs | split("\n")[] | fields | select(.JobState == "PENDING") | {queue: .Account,
    slots: ([.TRES // "" | scan("gres/gpu=(\\d+)")[0] | tonumber] | add // 0)}]) as $pending |
  ([$nodes | split("\n")[] | select(. != "")]) as $lines |
  {queues: [$assoc | split("\n")[] | select(test(" Account=v-\\S+ UserName= ")) | gpus +
      {name: capture(" Account=v-(?<name>\\S+)").name} | .name as $queue |
      . + {pending: ([$pending[] | select(.queue == "v-" + $queue).slots] | add // 0),
        borrowed: ([$qos[] | select(.queue == $queue and .class == "over").used] | add // 0),
        guaranteed: ([$qos[] | select(.queue == $queue and .class == "own").limit] | max)} |
      with_entries(select(.value != null))],
   pools: [$lines | map(fields | gpus_of("Gres") + {used: gpus_of("GresUsed").count}) |
      group_by(.type)[] | {name: .[0].type, free: (map(.count - .used) | add)}],
   flagged: [$lines[] | select(test(" State=\\S*(DOWN|DRAIN|INVAL|NOT_RESP|FAIL)")) |
      fields.NodeName + ": " + fields.State + ([scan(" Reason=(.*)")[0]][0] // "" | " " + .)]};

# Lines of sacct: name, submit, start, end, state. Its user is the owner of the job, not who acted.
# An id can stand for another job that was submitted before.
def events: {events: [inputs | split("|") | .[0] as $job | .[4] as $native |
  select(.[1] >= $ARGS.named.began) |
  ([.[1], "submitted"], [.[2], "started"], [.[3], ($native | split(" ")[0] | ascii_downcase)]) |
  select(.[0] | has_value) | {at: (.[0] | split(".")[0] + ".000000Z"), $job, type: .[1], $native}] |
  sort_by(.at)};

# The answer of sbatch --test-only about the job of the request; names has lines "id name".
def plan: .job.name as $job | $ARGS.named as {$said, $names} |
  ([$names | split("\n")[] | split(" ") | {key: .[0], value: .[1]}] | from_entries) as $name_of |
  {victims: [$said | scan("Preempts: ([0-9,]+)")[0] | split(",")[] | $name_of[.] // .],
   placements: [$said | scan("on nodes (\\S+) in partition")[0] | node_names[] |
     {$job, node: .}]} +
  if $said | test("to start at") then {} else {reason: {native: $said}} end;
