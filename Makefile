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

PKGS = libpci libudev libvirt sqlite3 libarchive blkid jansson libcrypto

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
GA_CFLAGS = -std=gnu17 $(GA_WARN) $(GA_HARDEN) $(shell pkg-config --cflags $(PKGS))
GA_LDFLAGS = -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -Wl,--as-needed \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE))
GA_LIBS = $(shell pkg-config --libs $(PKGS)) -lpthread -ldl

LIB_SRC := $(sort $(wildcard lib/*.c))
BIN_SRC := $(sort $(wildcard bin/*.c))
UNIT_SRC := $(sort $(wildcard tests/unit/*.c))
LIB_OBJ = $(LIB_SRC:%.c=$(B)/%.o)
BINS = $(BIN_SRC:bin/%.c=$(B)/bin/%)
UNITS = $(UNIT_SRC:tests/unit/%.c=$(B)/unit/%)
LIB = $(B)/libgpuaas.a

## all: build every program
all: $(BINS)

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(if $(V),,@echo '  CC    $<')
	$Q$(CC) $(GA_CPPFLAGS) $(CPPFLAGS) $(GA_CFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# What is embedded in the library by .incbin.
$(B)/lib/embed.o: $(wildcard share/sql/*.sql)
$(B)/lib/accel.o: share/accelerators.json

$(LIB): $(LIB_OBJ)
	$(if $(V),,@echo '  AR    $@')
	@rm -f $@
	$Q$(AR) rcs $@ $^

$(B)/bin/%: $(B)/bin/%.o $(LIB)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(GA_LIBS)

$(B)/unit/%: $(B)/tests/unit/%.o $(LIB)
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_LDFLAGS) $(LDFLAGS) -o $@ $< $(LIB) $(GA_LIBS)

# The Fabric Manager of the tests (GPUAAS_LIBNVFM names it).
$(B)/tests/libnvfm.so.1: tests/fake/libnvfm.c lib/nvfm_abi.h
	@mkdir -p $(@D)
	$(if $(V),,@echo '  LINK  $@')
	$Q$(CC) $(GA_CPPFLAGS) $(CPPFLAGS) $(filter-out -fPIE,$(GA_CFLAGS)) $(CFLAGS) -fPIC -shared \
		-Wl,-soname,libnvfm.so.1 -o $@ $< $(shell pkg-config --libs jansson)

-include $(LIB_OBJ:.o=.d) $(BIN_SRC:%.c=$(B)/%.d) $(UNIT_SRC:%.c=$(B)/%.d)

## units: build the unit tests
units: $(UNITS) $(B)/tests/libnvfm.so.1

BATS ?= $(sort $(wildcard tests/*.bats))
JOBS ?= $(shell nproc)

## check: build and pass every test and every check of the source
check: all units
	$(MAKE) check-unit check-bats check-source

## check-unit: the unit tests
check-unit: $(UNITS)
	$Qtests/run $(UNITS)

## check-bats: the tests of the programs; BATS=tests/NAME.bats for one file
check-bats: all $(B)/tests/libnvfm.so.1
	$QGPUAAS_BUILD=$(B) bats $(BATS)

## clean: remove what was built
clean:
	rm -rf $(B) build-*

## help: list the targets
help:
	@sed -n 's/^## //p' Makefile | column -t -s: 2>/dev/null || sed -n 's/^## //p' Makefile

.PHONY: all units check check-unit check-bats clean help
.SECONDARY:
