# SPDX-License-Identifier: Apache-2.0
# make install and uninstall; packaging/install-deps where nothing is missing.

load helper

@test "install puts everything below DESTDIR, uninstall takes exactly that away" {
  # The built files are installed as they stand: other tests run those programs, and perhaps another
  # compiler built them.
  make -o all -C "$SRC" install B="$GPUAAS_BUILD" DESTDIR="$T/root" > "$T/said" 3>&-
  # It says where, as the build does, and not every command.
  grep -qxF "  INSTALL $T/root/usr/local" "$T/said"
  refute_grep -qv '^  [A-Z]\|^make' "$T/said"
  local at=$T/root/usr/local
  for program in "$SRC"/bin/*.c; do
    program=$(basename "$program" .c)
    run_ok "$at/bin/$program" --version
    [[ -e $at/share/bash-completion/completions/$program ]]
  done
  for page in "$SRC"/man/*.[1-8]; do
    cmp "$page" "$at/share/man/man${page##*.}/${page##*/}"
  done
  # The units name the programs where they are; tmpfiles.d and sysusers.d are beside them.
  for unit in "$SRC"/packaging/systemd/*; do
    diff <(sed 's|@bindir@|/usr/local/bin|' "$unit") "$at/lib/systemd/system/${unit##*/}"
  done
  refute_grep -rq '@bindir@' "$at/lib/systemd"
  for dir in tmpfiles.d sysusers.d; do
    cmp "$SRC/packaging/$dir/gpuaas.conf" "$at/lib/$dir/gpuaas.conf"
  done
  # The demo has its recorded host, the way into it and the fake Fabric Manager with it.
  run_ok env ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS= GPUAAS_PLAYGROUND="$T/playground" PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    "$at/share/gpuaas/demo/lifecycle"
  rm -r "$at"/share/gpuaas/demo/{enter,libvirtd.bash,libnvfm.so.1,h200.tar.gz}
  diff -r "$SRC/share" "$at/share/gpuaas"
  make -s -o all -C "$SRC" install B="$GPUAAS_BUILD" DESTDIR="$T/root" 3>&-
  [[ -s $at/share/zsh/vendor-completions/_gpuaas ]]
  touch "$at/share/gpuaas/not-ours" "$at/bin/other"
  make -s -C "$SRC" uninstall DESTDIR="$T/root" 3>&-
  run_ok find "$T/root" ! -type d -printf '%f\n'
  assert_equal "$(sort <<< "$output")" $'not-ours\nother'
}

@test "make help names every target that is meant for people" {
  run_ok make -s -C "$SRC" help
  for target in all check check-asan check-source fuzz-smoke demo deb bench install uninstall; do
    [[ $output == *"$target "* ]]
  done
}

@test "compile_commands.json has every file that make compiles, with a command that compiles it" {
  make -s -C "$SRC" B="$T/b" "$T/b/compile_commands.json" 3>&-
  jq -r '.[].file' "$T/b/compile_commands.json" | sort > "$T/listed"
  (cd "$SRC" && find lib bin tests/{unit,bench,tool,fuzz} -name '*.c' | sort) | diff "$T/listed" -
  for file in lib/base/str.c tests/unit/base/proc.c; do
    command=$(jq -r --arg file "$file" '.[] | select(.file == $file).command' "$T/b/compile_commands.json")
    (cd "$SRC" && run_ok bash -c "${command/ -MMD -MP/ -fsyntax-only}")
  done
}

@test "install-deps does nothing when nothing is missing, and refuses what it does not know" {
  run_ok env -i PATH="$PATH" "$SRC/packaging/install-deps" --build --run --demo --test
  assert_equal "$output" ""
  run_ok "$SRC/packaging/install-deps" --list --test
  assert_equal "$output" ""
  run_status 1 "$SRC/packaging/install-deps" --everything
  assert_stderr "unknown argument"
  run_status 1 "$SRC/packaging/install-deps"
}

@test "every program, page, completion and folder of share is in one package, NEWS has the version" {
  cat "$SRC"/packaging/debian/{*.install,not-installed} > "$T/lists"
  for shared in "$SRC"/share/*; do
    file=usr/share/gpuaas/${shared##*/}
    assert_equal "$file $(grep -cxF "$file" "$T/lists")" "$file 1"
  done
  for program in "$SRC"/bin/*.c; do
    program=$(basename "$program" .c)
    for file in "usr/bin/$program" "usr/share/bash-completion/completions/$program"; do
      assert_equal "$file $(grep -cxF "$file" "$T/lists")" "$file 1"
    done
  done
  for page in "$SRC"/man/*.[1-8]; do
    page=usr/share/man/man${page##*.}/${page##*/}
    assert_equal "$page $(grep -cxF "$page" "$T/lists")" "$page 1"
  done
  version=$(gpuaas --version)
  grep -qE "^gpuaas ${version##* } \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$" "$SRC/NEWS"
}

@test "a package with programs depends on what they load at first use" {
  for list in "$SRC"/packaging/debian/*.install; do
    grep -q '^usr/bin/' "$list" || continue
    package=$(basename "$list" .install)
    depends=$(awk -v RS= -v head="Package: $package\n" 'index($0, head) == 1' "$SRC/packaging/debian/control" |
      sed -n '/^Depends:/,/^[^D ]/p')
    [[ $depends == *" libssl3t64 | libssl3,"* ]] || { echo "$package: $depends"; return 1; }
  done
}

@test "make-deb makes nothing when NEWS lacks the version" {
  mkdir "$T/tree"
  cp -r "$SRC/packaging" "$SRC/NEWS" "$T/tree"
  mkdir -p "$T/tree/lib/base"
  sed 's/^#define GA_VERSION .*/#define GA_VERSION "9.8.7"/' "$SRC/lib/base/ga.h" \
    > "$T/tree/lib/base/ga.h"
  run_status 1 "$T/tree/packaging/make-deb" "$T/out"
  assert_stderr "NEWS has no entry 'gpuaas 9.8.7"
  run_ok find "$T/out" -name '*.deb'
  assert_equal "$output" ""
}
