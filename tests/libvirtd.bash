# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
#
# A private libvirtd with the test driver, for the tests and the demo:
#
#   libvirtd_start DIR      sets LIBVIRTD_URI; DIR is made when missing, its path is short (sockets)
#   libvirtd_stop DIR       also after a start that failed
#
# Separate processes share the driver's domains as long as one connection stays open: a virsh that
# reads its commands from a fifo is that connection. It ends after LIBVIRTD_SECONDS (900) at the
# latest, and libvirtd ends 30 seconds after its last connection, so that nothing outlives a test
# that was killed. With LIBVIRTD_SECONDS=0 (the demo) it has no limit, and ends when the process that
# started it does. No other driver is loaded (LIBVIRT_DRIVER_DIR is an empty folder): as root they
# would touch the machine's /run/libvirt and want users that are not there.

libvirtd_start()
{
  local dir=$1 answer keep=()
  ((${LIBVIRTD_SECONDS:-900})) || keep=(setpriv --pdeathsig TERM)
  mkdir -p "$dir/run" "$dir/no-drivers" || return 1
  cat > "$dir/libvirtd.conf" <<CONF
unix_sock_dir = "$dir"
auth_unix_rw = "none"
auth_unix_ro = "none"
log_outputs = "3:file:$dir/libvirtd.log"
CONF
  LIBVIRTD_URI="test+unix:///default?socket=$dir/libvirt-sock"
  # With -d the parent returns when the socket is there. Descriptor 3 is bats' own.
  LIBVIRT_DRIVER_DIR="$dir/no-drivers" XDG_RUNTIME_DIR="$dir/run" timeout 60 \
    libvirtd -d -t 30 -f "$dir/libvirtd.conf" -p "$dir/pid" > /dev/null 3>&- ||
    { cat "$dir/libvirtd.log" >&2; return 1; }
  mkfifo "$dir/in" "$dir/out" || return 1
  # -k: readline in virsh can lose a SIGTERM, and whoever stops this waits for it.
  "${keep[@]}" timeout -k 2 "${LIBVIRTD_SECONDS:-900}" virsh -q -c "$LIBVIRTD_URI" \
    <> "$dir/in" 1<> "$dir/out" 2>&1 3>&- &
  echo $! > "$dir/holder"
  echo uri > "$dir/in"
  # It holds its output open for reading too: the line it writes after the answer would end it
  # otherwise, and with it the domains.
  # The answer comes over the open connection; the first line may be virsh's echo of the command.
  while read -r -t 30 answer; do
    [[ $answer != test+unix:* ]] || return 0
    [[ $answer != error:* ]] || break
  done < "$dir/out"
  echo "libvirtd_start: no connection to $LIBVIRTD_URI: ${answer-}" >&2
  return 1
}

libvirtd_stop()
{
  local dir=$1 pid
  if [[ -s $dir/holder ]]; then
    pid=$(<"$dir/holder")
    kill "$pid" 2> /dev/null || :
    wait "$pid" 2> /dev/null || :
  fi
  if [[ -s $dir/pid ]]; then
    # It has nothing to save. It is not our child to wait for, and a zombie has no exe.
    pid=$(<"$dir/pid")
    kill -9 "$pid" 2> /dev/null || :
    while [[ -e /proc/$pid/exe ]]; do
      sleep 0.01
    done
  fi
  rm -rf -- "${dir:?}/in" "$dir/out" "$dir/holder" "$dir/pid" "$dir/run"
}
