# SPDX-License-Identifier: Apache-2.0
# gpuaas: everything is built, checked and installed from here. `make help` lists the targets.

B ?= build
PREFIX ?= /usr/local
DESTDIR ?=
ifeq ($(origin CC),default)
CC = gcc
endif
V ?=
Q = $(if $(V),,@)
CFLAGS ?= -O2 -g
WERROR ?=
SANITIZE ?=

MAKEFLAGS += --no-builtin-rules
.SUFFIXES:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := all

PKGS = libpci libudev libvirt sqlite3 libarchive blkid jansson libmicrohttpd
# Only their headers: lib/record/crypto.c and lib/cli/frame/table.c load them at first use.
LOADED = libcrypto smartcols

# The project's own flags stand in variables of their own, so that CFLAGS stays the packager's.
GA_WARN = -Wall -Wextra -Wformat=2 -Wshadow -Wstrict-prototypes -Wmissing-prototypes \
	-Wold-style-definition -Wpointer-arith -Wcast-qual -Wwrite-strings -Wundef -Wvla \
	-Wswitch-enum -Wimplicit-fallthrough -Wdouble-promotion -Wconversion -Wno-sign-conversion \
	-Wdate-time -Werror=implicit -Werror=int-conversion -Werror=incompatible-pointer-types \
	-Werror=format-security -Werror=return-type $(if $(WERROR),-Werror)
GA_HARDEN = -fPIE -fstack-protector-strong -fno-strict-aliasing -fno-delete-null-pointer-checks \
	-fno-strict-overflow -fno-common \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-sanitize-recover=all -fno-omit-frame-pointer,\
	-fstack-clash-protection -fcf-protection=full -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
GA_CPPFLAGS = -D_GNU_SOURCE -iquote lib -DGA_SHARE_DIR='"$(PREFIX)/share/gpuaas"' \
	-DGA_SOURCE_DIR='"$(CURDIR)"'
# pkg-config runs once, and only for targets that compile or link.
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $(PKGS) $(LOADED)))$(PKG_CFLAGS)
PKG_LIBS = $(eval PKG_LIBS := $$(shell pkg-config --libs $(filter-out sqlite3,$(PKGS))))$(PKG_LIBS)
GA_CFLAGS = -std=gnu17 $(GA_WARN) $(GA_HARDEN) $(PKG_CFLAGS)
GA_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE))
# SQLite is linked in: most of what the loader did at each start was to bind that library to itself.
# SQLITE_LIBS=-lsqlite3 takes the system's as a program starts (gpuaas-internals(7)).
SQLITE_LIBS = -Wl,-Bstatic -lsqlite3 -Wl,-Bdynamic -lm
GA_LIBS = $(PKG_LIBS) $(SQLITE_LIBS) -lpthread -ldl

LIB_SRC := $(sort $(shell find lib -name '*.c'))
BIN_SRC := $(sort $(wildcard bin/*.c))
UNIT_SRC := $(sort $(shell find tests/unit -name '*.c'))
BENCH_SRC := $(sort $(wildcard tests/bench/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(B)/%.o)
BINS = $(BIN_SRC:bin/%.c=$(B)/bin/%)
UNITS = $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)
BENCHES = $(BENCH_SRC:tests/bench/%.c=$(B)/bench/%)
LIB = $(B)/libgpuaas.a

## all: build every program
all: $(BINS)

# The settings that the programs were built with: another PREFIX or CFLAGS builds them again.
BUILT_WITH = $(CC) $(PREFIX) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) $(SQLITE_LIBS) $(SANITIZE)
$(B)/flags: FORCE
	@mkdir -p $(@D)
	@[ "$$(cat $@ 2>/dev/null)" = '$(BUILT_WITH)' ] || echo '$(BUILT_WITH)' >$@

FORCE:

# The command that compiles one file, for the rule and for compile_commands.json.
compile = $(CC) $(GA_CPPFLAGS) $(if $(filter tests/unit/%,$(1)),-iquote tests/unit) $(CPPFLAGS) \
	$(GA_CFLAGS) $(CFLAGS) -MMD -MP -c -o $(1:%.c=$(B)/%.o) $(1)

$(B)/%.o: %.c $(B)/flags
	@mkdir -p $(@D)
	$(if $(V),,@echo '  CC    $<')
	$Q$(call compile,$<)

# The library embeds these by .incbin.
$(B)/lib/base/embed.o: $(wildcard share/sql/*.sql)
$(B)/lib/catalog/accel.o: share/accelerators.json
$(B)/lib/catalog/throughput.o: share/throughput.json
$(B)/lib/cli/explain/pages.o: $(patsubst %,man/gpuaas%,-codes.7 -operations.7 -export.1 .7)

$(LIB): $(LIB_OBJ)
	$(if $(V),,@echo '  AR    $@')
	@rm -f $@
	$Q$(AR) rcs --thin $@ $^

$(B)/bin/%: $(B)/bin/%.o $(LIB)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(GA_LIBS)

$(B)/unit/%: $(B)/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(GA_LIBS)

$(B)/bench/%: $(B)/tests/bench/%.o $(LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(GA_LIBS)

# The Fabric Manager of the tests (GPUAAS_LIBNVFM names it).
$(B)/tests/libnvfm.so.1: tests/fake/libnvfm.c lib/look/nvfm_abi.h
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_CPPFLAGS) $(CPPFLAGS) $(filter-out -fPIE,$(GA_CFLAGS)) $(CFLAGS) -fPIC \
		-shared -Wl,-soname,libnvfm.so.1 -o $@ $< $(shell pkg-config --libs jansson)

-include $(LIB_OBJ:.o=.d) $(BIN_SRC:%.c=$(B)/%.d) $(UNIT_SRC:%.c=$(B)/%.d)

## units: build the unit tests
units: $(UNITS) $(B)/tests/libnvfm.so.1 $(B)/bench/fleet

# Every file that the rule above compiles, with its command: editors and clangd read it. In JSON a
# backslash and a quotation mark stand behind a backslash.
COMPILED = $(LIB_SRC) $(BIN_SRC) $(UNIT_SRC) $(BENCH_SRC) \
	$(sort $(wildcard tests/tool/*.c tests/fuzz/*.c))
json = $(subst ",\",$(subst \,\\,$(1)))
comma = ,
define entry
$(if $(filter-out $(firstword $(COMPILED)),$(1)),$(comma))
 {"directory": "$(call json,$(CURDIR))", "file": "$(1)",
  "command": "$(call json,$(strip $(call compile,$(1))))"}
endef
$(B)/compile_commands.json: $(B)/flags FORCE
	$(if $(V),,@echo '  GEN   $@')
	@: $(file >$@,[$(foreach f,$(COMPILED),$(call entry,$(f)))])

## compile_commands.json: how each file is compiled, for editors and clangd
compile_commands.json: $(B)/compile_commands.json
	@cp $< $@

# ---- tests and checks ----

FUZZ := $(filter-out replay,$(patsubst tests/fuzz/%.c,%,$(sort $(wildcard tests/fuzz/*.c))))
REPLAYS = $(FUZZ:%=$(B)/replay/%)
BATS ?= $(sort $(wildcard tests/*.bats))
LONGEST = $(patsubst %,tests/%.bats,day onnet provision recovery release wipe)
JOBS ?= $(shell nproc)
FUZZ_SECONDS ?= 10
# Recursive makes build in parallel, also when this one was started without -j.
SUB = +$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(JOBS))
DEPS ?= packaging/install-deps

$(B)/tool/%: $(B)/tests/tool/%.o $(LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(GA_LIBS)

$(B)/replay/%: $(B)/tests/fuzz/%.o $(B)/tests/fuzz/replay.o $(LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) $(LDFLAGS) -o $@ $< $(B)/tests/fuzz/replay.o $(LIB) $(GA_LIBS)

$(B)/fuzzer/%: $(B)/tests/fuzz/%.o $(LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) -fsanitize=fuzzer $(LDFLAGS) -o $@ $< $(LIB) $(GA_LIBS)

-include $(wildcard $(B)/tests/tool/*.d $(B)/tests/fuzz/*.d $(B)/tests/bench/*.d)

## check: install what is missing, build, pass every test and every check of the source
check:
	$(DEPS) --build --test
	$(SUB) all units replays $(B)/tool/schemas $(B)/tool/leaves $(B)/tool/codes
	$(SUB) -j1 check-unit check-replay check-bats check-examples check-source

## check-unit: the unit tests
# Those of the database take the longest and come first.
check-unit: units
	$Qtests/run --jobs $(JOBS) $(filter $(B)/unit/state/%,$(UNITS)) \
		$(filter-out $(B)/unit/state/%,$(UNITS))

## check-replay: every fuzz corpus through its parser
check-replay: replays
	$Qtests/run --jobs $(JOBS) --each 'tests/fuzz/corpus/@/*' $(REPLAYS)

## check-bats: the tests of the programs; BATS=tests/NAME.bats for one file
# One of them always waits for something; the longest and the largest come first, so that nothing
# long is left over for the end.
check-bats: all units $(B)/tool/schemas $(B)/tool/leaves $(B)/tool/codes
	$QGPUAAS_BUILD=$(B) tests/run --jobs $$(($(JOBS) + 1)) \
		$(filter $(LONGEST),$(BATS)) $(filter-out $(LONGEST),$(shell ls -S $(BATS)))

## check-face: what a person meets at a terminal: completion pressed in bash and zsh
check-face:
	$(SUB) check-bats BATS=tests/face.bats

## check-examples: each example of README, the man pages and --help, run as it is printed; as root
check-examples: all units
	$QGPUAAS_BUILD=$(B) tests/run --limit 1200 tests/examples

## check-cloud: a Debian cloud image with real cloud-init, through libvirt in software; needs root
check-cloud:
	$(DEPS) --build --run --cloud
	$(SUB) all
	GPUAAS_BUILD=$(abspath $(B)) tests/cloud/enter tests/run tests/cloud/cloud.bats

## check-source: layers, style, shellcheck, mandoc, cppcheck, gcc -fanalyzer, generated files
check-source: all $(B)/tool/schemas $(B)/tool/codes
	$QGPUAAS_BUILD=$(B) tests/run --limit 1800 tests/check-layers tests/check-source

## check-layers: what includes what, who prints, where SQL is, what the programs link
check-layers: all
	$QGPUAAS_BUILD=$(B) tests/check-layers

VM_SECONDS ?= 7200

## check-vm: the whole life on a real kernel, in a virtual GPU host (software emulation, as root)
check-vm:
	$(DEPS) --build --vm
	$(SUB) all units
	$QGPUAAS_BUILD=$(B) tests/run --limit $(VM_SECONDS) tests/vm/check

## check-slurm: scenarios of gpuaas-validate on a Slurm of its own; as root
check-slurm:
	$(DEPS) --build --slurm
	$(SUB) $(B)/bin/gpuaas-validate
	$QGPUAAS_BUILD=$(B) tests/check-slurm

## check-asan: the tests with clang, address and undefined behaviour sanitizers
check-asan:
	$(DEPS) --build --test
	$(SUB) B=build-asan CC=clang SANITIZE=address,undefined CFLAGS='-O1 -g' \
		all units replays $(addprefix build-asan/tool/,schemas leaves codes)
	$(SUB) -j1 B=build-asan CC=clang SANITIZE=address,undefined CFLAGS='-O1 -g' \
		check-unit check-replay check-bats

COVER_LEAVE = build-cover/tests/cover/leave.o
COVERED = B=build-cover CC=gcc CFLAGS='-O1 -g --coverage' \
	LDFLAGS='--coverage -Wl,--wrap=_exit $(COVER_LEAVE)'

## cover: what the tests run of lib, a line a folder; BATS=tests/NAME.bats for some of the programs
# The counts of a program that may write no file are lost, and what it would say of that, too.
cover:
	$(DEPS) --build --test
	$(SUB) $(COVERED) $(COVER_LEAVE)
	$(SUB) $(COVERED) all units $(addprefix build-cover/tool/,schemas leaves codes)
	@find build-cover -name '*.gcda' -delete
	@export GCOV_ERROR_FILE=/dev/null; \
		$(MAKE) --no-print-directory -k -j1 $(COVERED) check-unit check-bats; \
		status=$$?; tests/cover/table build-cover; exit $$status

## mutate: is every refusal of the triggers attacked? Two minutes of CPU
mutate: $(B)/unit/state/db/invariants
	$QGPUAAS_BUILD=$(B) tests/mutate-triggers

## fuzz-smoke: each parser under libFuzzer for FUZZ_SECONDS (10)
fuzz-smoke:
	$(DEPS) --build --test
	$(SUB) B=build-fuzz CC=clang SANITIZE=fuzzer-no-link,address,undefined CFLAGS='-O1 -g' \
		$(FUZZ:%=build-fuzz/fuzzer/%)
	tests/fuzz-smoke build-fuzz $(FUZZ_SECONDS) $(FUZZ)

replays: $(REPLAYS)

## schemas: write share/schema, the JSON Schemas of the records
schemas: $(B)/tool/schemas
	rm -rf share/schema
	$(B)/tool/schemas share/schema

## records-man: write the member tables of gpuaas-records(5) from share/schema
records-man: schemas
	packaging/make-records-man man/gpuaas-records.5 share/schema > $(B)/gpuaas-records.5
	cp $(B)/gpuaas-records.5 man/gpuaas-records.5

## demo: install what is missing, build, run share/demo/lifecycle
demo:
	$(DEPS) --build --run --demo
	$(SUB) all $(B)/tests/libnvfm.so.1
	GPUAAS_BUILD=$(B) share/demo/lifecycle

## playground: install what is missing, build, a shell in a recorded host (share/demo/shell)
playground:
	$(DEPS) --build --run --demo
	$(SUB) all $(B)/tests/libnvfm.so.1
	@GPUAAS_BUILD=$(B) share/demo/shell

## deb: the Debian packages of this tree, in build/deb
deb:
	$(DEPS) --build --deb
	packaging/make-deb $(B)/deb

## check-deb: make them, lintian, install, run and purge them in a clean Debian; as root, online
check-deb: deb
	$(DEPS) --deb
	$QGPUAAS_BUILD=$(B) tests/run --limit 1800 tests/deb/check

SEED ?= $(shell od -An -N3 -tu4 /dev/urandom | tr -d ' ')
EVENTS ?= 2000
DAY ?= --nodes 40 --slots 8

## day: a day with 40 simulated hosts; SEED=, EVENTS= (2000), DAY='--nodes N --slots N'
day:
	$(DEPS) --build --test
	$(SUB) all
	$QGPUAAS_BUILD=$(B) tests/day/run --seed $(SEED) --events $(EVENTS) $(DAY)

SECONDS ?= 60

## torture: random SQL against a state, and programs that are killed; SEED=, SECONDS= each (60)
torture:
	$(DEPS) --build --test
	$(SUB) all
	$QGPUAAS_BUILD=$(B) tests/torture/run --seed $(SEED) --seconds $(SECONDS) sql kill

## bench: the figures, each beside its peer
bench:
	$(DEPS) --build --test
	$(SUB) all benches
	$QGPUAAS_BUILD=$(B) tests/bench/run

benches: $(BENCHES)

# gcc's analyzer, a file at a time, so that only what changed is looked at again.
$(B)/analyzer/%.ok: %.c
	@mkdir -p $(@D)
	$Qgcc $(GA_CPPFLAGS) $(GA_CFLAGS) -O1 -fanalyzer -Werror -MMD -MP -MF $@.d -MT $@ -c \
		-o /dev/null $<
	@touch $@

-include $(patsubst %.c,$(B)/analyzer/%.ok.d,$(LIB_SRC) $(BIN_SRC))

analyzer: $(LIB_SRC:%.c=$(B)/analyzer/%.ok) $(BIN_SRC:%.c=$(B)/analyzer/%.ok)

# ---- installation ----

INSTALL = install
SHARE = $(DESTDIR)$(PREFIX)/share/gpuaas
MANDIR = $(DESTDIR)$(PREFIX)/share/man
BASHDIR = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR = $(DESTDIR)$(PREFIX)/share/zsh/vendor-completions
MAN := $(sort $(wildcard man/*.[1-8]))
# All of share, whatever is in it; programs keep their mode.
SHARED = $(shell cd share && find . -type f -printf '%P\n' | sort)
PROGRAMS = $(BIN_SRC:bin/%.c=%)

# systemd's: the programs' path is filled in.
UNITDIR = $(DESTDIR)$(PREFIX)/lib/systemd/system
TMPFILES = $(DESTDIR)$(PREFIX)/lib/tmpfiles.d/gpuaas.conf
SYSUSERS = $(DESTDIR)$(PREFIX)/lib/sysusers.d/gpuaas.conf
SYSTEMD := $(sort $(notdir $(wildcard packaging/systemd/*.service packaging/systemd/*.timer \
	packaging/systemd/*.socket)))

# The demo's own: the recorded host, how to enter it, and the fake Fabric Manager.
DEMO = $(SHARE)/demo
DEMO_PARTS = tests/hosts/enter tests/libvirtd.bash $(B)/tests/libnvfm.so.1

## install: install below DESTDIR/PREFIX (PREFIX=/usr/local)
install: all $(B)/tests/libnvfm.so.1 $(B)/demo-host.tar.gz
	$(if $(V),,@echo '  INSTALL $(DESTDIR)$(PREFIX)')
	$Q$(INSTALL) -d $(DESTDIR)$(PREFIX)/bin $(SHARE) $(BASHDIR) $(ZSHDIR)
	$Q$(INSTALL) -m 755 $(BINS) $(DESTDIR)$(PREFIX)/bin
	$Q$(foreach m,$(MAN),$(INSTALL) -D -m 644 $(m) \
		$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)) && ) :
	$Qsed -i 's|/usr/local/share/gpuaas|$(PREFIX)/share/gpuaas|' \
		$(foreach m,$(MAN),$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)))
	$Q$(foreach f,$(SHARED), \
		$(INSTALL) -D -m $(if $(shell test -x share/$(f) && echo x),755,644) \
			share/$(f) $(SHARE)/$(f) && ) :
	$Q$(INSTALL) -m 755 $(DEMO_PARTS) $(DEMO)
	$Q$(INSTALL) -m 644 $(B)/demo-host.tar.gz $(DEMO)/h200.tar.gz
	$Q$(INSTALL) -m 644 completions/gpuaas.bash $(BASHDIR)/gpuaas
	$Q$(foreach p,$(filter-out gpuaas,$(PROGRAMS)),ln -sf gpuaas $(BASHDIR)/$(p) && ) :
	$Q$(INSTALL) -m 644 completions/_gpuaas $(ZSHDIR)/_gpuaas
	$Q$(INSTALL) -d $(UNITDIR)
	$Q$(foreach u,$(SYSTEMD),sed 's|@bindir@|$(PREFIX)/bin|' packaging/systemd/$(u) \
		>$(UNITDIR)/$(u) && chmod 644 $(UNITDIR)/$(u) && ) :
	$Q$(INSTALL) -D -m 644 packaging/tmpfiles.d/gpuaas.conf $(TMPFILES)
	$Q$(INSTALL) -D -m 644 packaging/sysusers.d/gpuaas.conf $(SYSUSERS)

# A recorded host is 2500 small files: one file to install, which the demo unpacks. The second
# socket has the two bundles that are not complete.
$(B)/demo-host.tar.gz: tests/hosts/generate tests/hosts/h200.json
	@mkdir -p $(@D)
	$(if $(V),,@echo '  GEN   $@')
	@rm -rf $(B)/demo-host
	$Qtests/hosts/generate h200 $(B)/demo-host nic.3.vfs.0=vfio-pci nic.7.vfs.0=mlx5_core
	$Qtar -cz --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -f $@ \
		-C $(B)/demo-host .
	@rm -rf $(B)/demo-host

## uninstall: remove what install put there, and nothing else
uninstall:
	$(if $(V),,@echo '  REMOVE  $(DESTDIR)$(PREFIX)')
	$Qrm -f $(PROGRAMS:%=$(DESTDIR)$(PREFIX)/bin/%) $(PROGRAMS:%=$(BASHDIR)/%) $(ZSHDIR)/_gpuaas
	$Qrm -f $(foreach m,$(MAN),$(MANDIR)/man$(patsubst .%,%,$(suffix $(m)))/$(notdir $(m)))
	$Qrm -f $(SHARED:%=$(SHARE)/%) $(addprefix $(DEMO)/,$(notdir $(DEMO_PARTS)) h200.tar.gz)
	$Qrm -f $(SYSTEMD:%=$(UNITDIR)/%) $(TMPFILES) $(SYSUSERS)
	$Qif [ -d $(SHARE) ]; then find $(SHARE) -depth -type d -empty -delete; fi

## clean: remove what was built
clean:
	rm -rf $(B) build-*

## help: list the targets
help:
	@sed -n 's/^## \([a-z_.-]*\): \(.*\)/\1\t\2/p' Makefile | expand -t 16

.PHONY: all units benches playground check-examples replays check check-unit check-replay \
	check-bats check-face check-cloud check-vm check-slurm check-source check-layers \
	check-asan cover analyzer mutate fuzz-smoke schemas records-man demo deb check-deb bench \
	day torture install uninstall clean help compile_commands.json FORCE
.SECONDARY:
