# SPDX-License-Identifier: Apache-2.0
# The pager: long output of programs that only look, on a terminal (tests/on-terminal).

load helper

setup()
{
  common_setup
  unset SUDO_UID PKEXEC_UID DOAS_USER
  export TERM=xterm
  mkdir "$T/bin"
  cat > "$T/bin/pager" <<'SH'
#!/bin/sh
echo "pager $* LESS=$LESS LESSSECURE=$LESSSECURE LESSOPEN=$LESSOPEN"
cat > "$T/paged"
SH
  cp "$T/bin/pager" "$T/bin/less"
  printf '#!/bin/sh\nexit 3\n' > "$T/bin/leaves"
  chmod +x "$T/bin"/*
  gpuaas-state init --lab > "$T/made"
  gpuaas-state apply "$SRC/share/objects/lab.json" >> "$T/made"
}

on_terminal()
{
  "$SRC/tests/on-terminal" "$@"
}

# Where the fake less is found.
with_less()
{
  "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" "$@"
}

@test "only what is longer than the screen goes to the pager, and only of programs that look" {
  export GPUAAS_PAGER=$T/bin/pager
  run_ok on_terminal 4x80 gpuaas-list audit
  refute_output "pager "
  assert_output "state_made"
  # A line goes for the prompt of the shell, and one that is wider than the terminal takes two.
  run_ok on_terminal 3x80 gpuaas-list audit --limit 2
  assert_output "pager "
  assert_equal "$(tail -n +2 "$T/paged" | wc -l)" 2
  run_ok on_terminal 4x15 gpuaas-list audit --limit 1 -o wide
  assert_output "pager "
  # So does a short list whose rows are wider than the screen: they are not broken.
  rm "$T/paged"
  run_ok on_terminal 24x15 gpuaas-list audit --limit 1 -o wide
  assert_output "pager "
  grep -q state_made "$T/paged"
  rm "$T/paged"
  run_ok on_terminal 24x400 gpuaas-list audit --limit 1 -o wide
  refute_output "pager "
  run_ok on_terminal 60x40 gpuaas-list audit --limit 1 --json
  refute_output "pager "
  run_ok on_terminal 4x80 gpuaas-list --help
  assert_output "pager "
  grep -q '^examples:' "$T/paged"
  run_ok on_terminal 4x80 gpuaas help
  assert_output "pager "
  run_ok on_terminal 2x80 gpuaas-list audit --json
  assert_output "pager "
  rm "$T/paged"
  run_ok on_terminal 2x80 gpuaas-list audit --no-pager
  refute_output "pager "
  run_ok on_terminal 2x80 gpuaas-state apply "$SRC/share/objects/lab.json"
  refute_output "pager "
  run_ok gpuaas-list audit --table # no terminal
  refute_output "pager "
  TERM=dumb run_ok on_terminal 2x80 gpuaas-list audit
  refute_output "pager "
  [[ ! -e $T/paged ]]
}

@test "the pager is GPUAAS_PAGER, else PAGER, else less with options that leave a screen as it is" {
  GPUAAS_PAGER="$T/bin/pager -a  b=c" PAGER=$T/bin/leaves run_ok on_terminal 2x80 gpuaas-list audit
  assert_output "pager -a b=c LESS=FRXMK LESSSECURE=1"
  PAGER=$T/bin/pager LESS=-R LESSSECURE=0 run_ok on_terminal 2x80 gpuaas-list audit
  assert_output "pager  LESS=-R LESSSECURE=0"
  run_ok with_less "$SRC/tests/on-terminal" 2x80 gpuaas-list audit
  assert_output "pager  LESS=FRXMK LESSSECURE=1"
  # Rows of a wide table are not broken.
  run_ok with_less "$SRC/tests/on-terminal" 2x80 gpuaas-list audit -o wide
  assert_output "pager  LESS=RXMKS LESSSECURE=1"
  PAGER=$T/bin/pager LESS=-R run_ok on_terminal 2x80 gpuaas-list audit -o wide
  assert_output "pager  LESS=-R "
  for off in '' cat; do
    GPUAAS_PAGER=$off PAGER=$T/bin/pager run_ok on_terminal 2x80 gpuaas-list audit
    refute_output "pager "
    assert_output "state_made"
  done
  # No shell reads it.
  GPUAAS_PAGER="$T/bin/pager; touch $T/shell" \
    run_ok with_less "$SRC/tests/on-terminal" 2x200 gpuaas-list audit
  assert_output "warning: GPUAAS_PAGER '$T/bin/pager; touch $T/shell' needs a shell"
  assert_output "pager  LESS=FRXMK"
  [[ ! -e $T/shell ]]
}

@test "under sudo no program is taken from the environment, and less starts none" {
  for by in SUDO_UID=1000 PKEXEC_UID=1000 DOAS_USER=alice; do
    run_ok env "$by" PAGER="$T/bin/leaves" GPUAAS_PAGER="$T/bin/leaves" LESS=-E LESSSECURE=0 \
      LESSOPEN="|touch $T/opened" "$SRC/tests/own-conf" "GPUAAS_PATH=$T/bin:$FIXED_PATH" \
      "$SRC/tests/on-terminal" 2x80 gpuaas-list audit
    assert_output "pager  LESS=FRXMK LESSSECURE=1 LESSOPEN="
    refute_output "touch"
  done
}

@test "the status is that of the program, whatever the pager does; without a pager all is shown" {
  run_ok env GPUAAS_PAGER="$T/bin/leaves" "$SRC/tests/on-terminal" 2x80 gpuaas-list audit
  refute_output "state_made"
  run_status 5 env GPUAAS_PAGER="$T/bin/pager" "$SRC/tests/on-terminal" 2x80 gpuaas-list nodes \
    --where node=nosuch
  assert_output "nosuch"
  run_ok env GPUAAS_PAGER="$T/bin/nosuch" "$SRC/tests/on-terminal" 2x80 gpuaas-list audit
  assert_output "warning: the pager '$T/bin/nosuch' cannot be run"
  assert_output "state_made"
}
