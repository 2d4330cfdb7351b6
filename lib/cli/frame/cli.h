/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The glue of every program: one table of options from which parsing, --help, --introspect-cli and
 * the completions come; records in and out; the one place that prints.
 *
 * main() is four statements: ga_cli_parse, run, ga_cli_finish (see architecture.md, section 8).
 */
#ifndef GA_CLI_FRAME_CLI_H
#define GA_CLI_FRAME_CLI_H

#include "base/ga.h"
#include "record/kind.h"
#include "record/rec.h"
#include "record/sign.h"

enum ga_opt_type {
	GA_O_FLAG,     /* bool * */
	GA_O_TEXT,     /* const char ** */
	GA_O_TEXTS,    /* GA_LIST(const char *) *: may be given several times */
	GA_O_PATH,     /* const char **: a file name (for the completions) */
	GA_O_INT,      /* int64_t *, within [min, max] */
	GA_O_SIZE,     /* int64_t * bytes */
	GA_O_DURATION, /* int64_t * seconds */
	GA_O_WORD,     /* const char **: one of values */
};

struct ga_opt {
	char short_name; /* 0: none */
	const char *name;
	enum ga_opt_type type;
	void *var;
	const char *arg; /* "ID", "FILE", …; NULL for a flag */
	const char *help;
	const char *const *values; /* of GA_O_WORD */
	int64_t min, max;	   /* of GA_O_INT */
};
#define GA_OPTS_END { .name = NULL }

struct ga_cmd {
	const char *name, *abstract;
	const char *args; /* as in the synopsis: "FILE|-", "ID…", or NULL */
	int args_min, args_max; /* args_max -1: any number */
	const struct ga_opt *opts;
	int (*run)(struct ga_err *err); /* for ga_cli_command */
};

struct ga_prog {
	const char *name, *abstract;
	const char *args;
	int args_min, args_max;
	const struct ga_opt *opts;
	const struct ga_cmd *cmds; /* ends with a command without name; NULL: no commands */
	const struct ga_shape *const *consumes; /* NULL-terminated, or NULL */
	const struct ga_shape *const *produces;
	const char *const *examples; /* NULL-terminated command lines for --help */
	bool needs_state; /* gets --state */
	bool runs_command; /* the operands are a command line: options end at the first of them */
	bool acts;	  /* changes things: ignores SIGPIPE and finishes */
};

/* Opens /dev/null on missing descriptors 0-2, so that reading 0 and writing 1 fail; ignores
 * SIGXFSZ, so that writing beyond 'ulimit -f' fails; reads configuration and command line.
 * 1: go on; 0: done already (--help, --version, --introspect-cli); -1: usage. */
GA_MUST_CHECK int ga_cli_parse(const struct ga_prog *prog, int argc, char **argv,
			       struct ga_err *err);
/* Prints the error if r < 0, finishes the table, flushes, and is the exit status: the error's
 * code, else the first status of a refusal or failure that went by, else r. */
GA_MUST_CHECK int ga_cli_finish(const struct ga_prog *prog, int r, struct ga_err *err);

/* The operands that were given. */
char *const *ga_cli_args(int *n);
/* The command that was given (prog->cmds), or NULL. */
const struct ga_cmd *ga_cli_command(void);
const char *ga_cli_program(void);
/* "json" or "table" where --json or --table was given, else NULL. */
const char *ga_cli_form(void);

/* Reads /etc/gpuaas/gpuaas.conf, which must be root's and writable by nobody else (GA_DENIED).
 * GPUAAS_PATH of it replaces the path in which programs are found (base/proc.h); no variable of the
 * environment does. Part of ga_cli_parse. */
GA_MUST_CHECK int ga_cli_read_config(struct ga_err *err);
/* A setting: environment KEY, else KEY of /etc/gpuaas/gpuaas.conf, else fallback. Flags are the
 * caller's. The environment is not read in a set-uid program. */
const char *ga_cli_setting(const char *key, const char *fallback);
/* Of a program that is run: KEY of that file, else fallback; the environment does not choose it. */
const char *ga_cli_configured(const char *key, const char *fallback);
/* The state file: --state, GPUAAS_STATE, else /var/lib/gpuaas/state.db. */
const char *ga_cli_state_path(void);
bool ga_cli_state_named(void); /* by --state */
/* The host's own folder: GPUAAS_HOST_DIR, else /var/lib/gpuaas/host. */
const char *ga_cli_host_dir(void);
/* The images of this host: GPUAAS_IMAGES, else /var/lib/gpuaas/images. */
const char *ga_cli_images_dir(void);

/* ---- records out ---- */

/* Writes one record to stdout (or adds a row to the table) at once. GA_SYSTEM when stdout fails:
 * after a commit nothing is undone, and gpuaas-list prints the same records again. */
GA_MUST_CHECK int ga_emit(const struct ga_shape *shape, const void *obj, struct ga_err *err);
/* Passes a record on as the bytes it came in. */
GA_MUST_CHECK int ga_emit_raw(const struct ga_rec *rec, struct ga_err *err);
/* ga_emit of a record whose line is known already: text is that of ga_rec_format_text, or NULL. */
GA_MUST_CHECK int ga_emit_text(const struct ga_shape *shape, const void *obj, const char *text,
			       struct ga_err *err);
/* ga_emit of a result that travels, signed with the host's key (NULL: it has none). */
GA_MUST_CHECK int ga_emit_signed(const struct ga_shape *shape, const void *obj,
				 const struct ga_sign_key *key, struct ga_err *err);
/* Writes a line that is no record, where an option asked for another format. */
GA_MUST_CHECK int ga_emit_line(const char *text, struct ga_err *err);
/* Whether stdout gets a table for people. */
bool ga_emit_is_table(void);
/* A line of words for people on stderr. This function and those below print '?' for each
 * character that would steer a terminal, so that their callers need not look for any. */
void ga_say(const char *fmt, ...) GA_PRINTF(1, 2);
/* A line of text for people on stdout, in table mode only (headlines, explanations). */
void ga_print(const char *fmt, ...) GA_PRINTF(1, 2);
/* Prints text of several lines on stdout, also with --json. */
void ga_print_text(const char *text);
/* Notes a status for the end as a refusal going by would; the first one stays. */
void ga_cli_note_status(int status);
/* Prints an error with its hint as ga_cli_finish does, and notes its status: the work goes on. */
void ga_cli_say_error(const struct ga_err *err);

/* ---- records in ---- */

struct ga_consumer {
	const struct ga_shape *shape;
	int (*take)(const struct ga_rec *rec, struct ga_err *err);
};

/* Reads records from a descriptor: each consumer takes its kind, every other gpuaas record is
 * passed on at once. The table ends with shape NULL. */
GA_MUST_CHECK int ga_cli_stream(int fd, const char *name, const struct ga_consumer *table,
				struct ga_err *err);
/* The same from the file that an operand names; NULL and "-" are standard input, which must not be
 * a terminal then: what says what is missing ("records"). */
GA_MUST_CHECK int ga_cli_stream_from(const char *operand, const char *what,
				     const struct ga_consumer *table, struct ga_err *err);
/* The same for slow work: each order is taken in a child of its own, at most jobs at a time, while
 * reading and passing on continue. A child that fails ends with its status, which is noted;
 * SIGINT and SIGTERM are handed to the children, which finish or give up at their next phase. */
GA_MUST_CHECK int ga_cli_stream_jobs(int fd, const char *name, const struct ga_consumer *table,
				     int jobs, struct ga_err *err);
/* As ga_cli_stream_jobs, but what the consumers of here (as table, or NULL) take is taken in this
 * process before more is read, so that the children of later orders have it; a kind of both goes to
 * a child after that. Of orders that came together all are taken before a child begins. */
GA_MUST_CHECK int ga_cli_stream_jobs_here(int fd, const char *name, const struct ga_consumer *table,
					  const struct ga_consumer *here, int jobs,
					  struct ga_err *err);
/* Opens an operand: "-" is stdin (fd 0), else the file. The caller closes what is not 0.
 * GA_NOTFOUND where there is no such file. */
GA_MUST_CHECK int ga_cli_open(const char *operand, struct ga_err *err);
/* Whether --output may name path: ga_file_may_replace, and not the state. */
GA_MUST_CHECK int ga_cli_may_replace(const char *path, struct ga_err *err);
/* GA_USAGE when stdin is a terminal, so that nobody waits for records that do not come. */
GA_MUST_CHECK int ga_cli_need_pipe(const char *what, struct ga_err *err);

/* ---- asking ---- */

/* Before what cannot be undone: says on stderr that everything on the allocation's disks will be
 * destroyed, and reads its name (its id when name is NULL) from stdin. GA_NO: something else was
 * typed. */
GA_MUST_CHECK int ga_cli_confirm(const char *allocation, const char *name, struct ga_err *err);

/* ---- progress for people ---- */

extern const char *const ga_progress_words[]; /* auto, json, none: for --progress */
/* Draws "what 42 % 1.2 GiB/s 12 s left" over itself on stderr when that is a terminal and mode is
 * auto; total 0 draws no percentage. ga_cli_progress_end clears the line. */
void ga_cli_progress(const char *mode, const char *what, int64_t done, int64_t total,
		     int64_t started_mono_micros);
void ga_cli_progress_end(void);

#endif
