/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The frame of every program. One table of options drives parsing, --help, --introspect-cli and the
 * completions. Only this code reads and writes records, and only it prints.
 *
 * A main() calls ga_cli_parse; if the result is 1, it does its work; then it returns the result of
 * ga_cli_finish.
 */
#ifndef GA_CLI_FRAME_CLI_H
#define GA_CLI_FRAME_CLI_H

#include "base/ga.h"
#include "record/kind.h"
#include "record/rec.h"
#include "record/sign.h"
#include "record/time.h"

/* The type of an option's value, and of the variable that var points to. An option that is not
 * given does not change its variable, so the initial value is the default. Texts point into
 * argv. */
enum ga_opt_type {
	GA_O_FLAG,     /* bool *; takes no value */
	GA_O_TEXT,     /* const char ** */
	GA_O_PERSON,   /* const char **: a text that a person gives, such as a reason; refused as
			* ga_person_check() says */
	GA_O_TEXTS,    /* struct ga_borrowed_texts *: the option may repeat; each use adds one */
	GA_O_PATH,     /* const char **: a file name, which the completions complete */
	GA_O_INT,      /* int64_t *, within min .. max */
	GA_O_SIZE,     /* int64_t *: bytes ("64G", ga_size_parse) */
	GA_O_DURATION, /* int64_t *: seconds ("24h", ga_duration_parse: at most 3660d) */
	GA_O_WORD,     /* const char **: one of values */
};

struct ga_opt {
	char short_name;  /* of "-P"; 0: none */
	const char *name; /* without its dashes */
	enum ga_opt_type type;
	void *var;	 /* the variable; its C type is given at enum ga_opt_type */
	const char *arg; /* the value in --help: "NODE", "FILE", …, a word of complete.c, which
			  * says what it means; "TEAM,…": several; NULL for a flag */
	const char *help;
	/* Of GA_O_WORD and GA_O_TEXTS: the only values. Of GA_O_TEXT: values to offer, or NULL.
	 * Ends with NULL. */
	const char *const *values;
	int64_t min, max;	   /* of GA_O_INT */
	bool looks; /* of GA_O_FLAG: with it the program changes nothing, as with --dry-run */
	/* Of GA_O_FLAG and GA_O_TEXT: the only kind that it makes the command print; NULL: it
	 * changes nothing of that. */
	const struct ga_schema *prints;
};
#define GA_OPTS_END { .name = NULL }

/* Stand for a kind in the members prints below: the output is no record, but text, or the JSON of
 * another system. No form but that of JSON can be chosen for it, and no columns or order. */
extern const struct ga_schema ga_prints_text, ga_prints_json;

struct ga_cmd {
	const char *name, *abstract;
	const char *args; /* as in the synopsis: "FILE|-", "NODE…", or NULL; words as in ga_opt.arg,
			   * those in lower case are typed literally */
	int args_min, args_max; /* args_max -1: any number */
	const struct ga_opt *opts;
	int (*run)(struct ga_err *err); /* main() calls it: ga_cli_command()->run */
	/* The only kind that it prints: --columns and --sort take its members alone. NULL:
	 * several. */
	const struct ga_schema *prints;
	/* With this word as its first operand it prints that kind alone; NULL: none. */
	const char *word;
	const struct ga_schema *word_prints;
	/* A command line for its --help alone, where the examples of the program have none of it;
	 * NULL: none. */
	const char *example;
};

struct ga_prog {
	const char *name, *abstract;
	const char *args; /* as in ga_cmd; not used if the program has commands */
	int args_min, args_max;
	const struct ga_opt *opts; /* valid for all its commands */
	const struct ga_cmd *cmds; /* ends with a command without name; NULL: no commands */
	const struct ga_schema *const *consumes; /* NULL-terminated, or NULL */
	const struct ga_schema *const *produces;
	const struct ga_schema *prints; /* as in ga_cmd; with an operand KIND it is that kind */
	const char *const *examples; /* NULL-terminated command lines for --help */
	/* Words of args that are typed as they are, with a line each; ends with NULL. NULL:
	 * none. */
	const char *const (*lines)[2];
	const char *const *kinds; /* what the operand KIND may be, NULL-terminated, or NULL */
	const struct ga_schema *condition_on; /* the kind that conditions are about; NULL: that of
					       * the operand KIND */
	const char *const *forms; /* words of -o beside ga_form_words, NULL-terminated, or NULL:
				   * the program writes these by ga_emit_line */
	const char *forms_of; /* with forms: the command, or the operand KIND, that has them */
	bool needs_state; /* has the option --state */
	bool runs_command; /* the operands are a command line: options end at the first operand */
	const char *looks; /* commands that only show, separated by spaces, or "*": their long
			    * output on a terminal goes to a pager (pager.h) */
	bool acts; /* changes things: ignores SIGPIPE, so that it finishes its work, unless the
		    * command or an option only shows */
};

/* Starts a program: sets the umask to 077, opens /dev/null on missing descriptors 0-2 so that
 * reading 0 and writing 1 fail, ignores SIGXFSZ so that writing beyond 'ulimit -f' fails, reads the
 * configuration and the command line, and fills the variables of the options. 1: go on; 0: nothing
 * more to do (--help, --version, --introspect-cli); -1: an error, GA_USAGE for a wrong command
 * line. prog and argv must live as long as the program. */
GA_MUST_CHECK int ga_cli_parse(const struct ga_prog *prog, int argc, char **argv,
			       struct ga_err *err);
/* Ends a program: prints the rows still in the table, flushes standard output, prints the error if
 * r < 0, then the error of standard output if there is one, and returns the exit status: the code
 * of the first error, else the first noted status (of an emitted refusal or failure, or by
 * ga_cli_note_status), else r. */
GA_MUST_CHECK int ga_cli_finish(const struct ga_prog *prog, int r, struct ga_err *err);

/* The operands without the command; *n is their number, NULL follows them. The texts are those of
 * argv. */
char *const *ga_cli_args(int *n);
/* The command on the command line (an element of prog->cmds), or NULL. */
const struct ga_cmd *ga_cli_command(void);
/* GA_USAGE for a command that the program does not have, with what is near to it of its cmds and of
 * words (NULL-terminated, or NULL). */
GA_MUST_CHECK int ga_cli_unknown_command(const char *name, const char *const *words,
					 struct ga_err *err);
/* GA_USAGE, with what is near to it, for a value that is none of the words. as: the option or
 * operand as messages name it. */
GA_MUST_CHECK int ga_cli_is_word(const char *as, const char *value, const char *const *words,
				 struct ga_err *err);
/* The name of the program ("gpuaas-list"), for messages and the audit. */
const char *ga_cli_program(void);
/* The word of -o, "json" or "table" if --json or --table was given, else NULL. */
const char *ga_cli_form(void);

/* Reads /etc/gpuaas/gpuaas.conf, which must belong to root and be writable only by root (else
 * GA_DENIED); a file that is absent or unreadable for this user counts as empty. Its GPUAAS_PATH,
 * unless it is empty, replaces the path for programs (base/proc.h); the environment cannot replace
 * it. ga_cli_parse calls this function. */
GA_MUST_CHECK int ga_cli_read_config(struct ga_err *err);
/* A setting: KEY of the environment, else KEY of /etc/gpuaas/gpuaas.conf, else fallback; an empty
 * value counts as none. A set-uid program does not read the environment. The text lives as long as
 * the program. */
const char *ga_cli_setting(const char *key, const char *fallback);
/* A setting that names a program to run: KEY of that file, else fallback. Never from the
 * environment. */
const char *ga_cli_configured(const char *key, const char *fallback);
/* Reads the time of an option ("--since") as ga_when_parse() does, and writes it as records have
 * it. */
GA_MUST_CHECK int ga_cli_when(const char *option, const char *text, bool ahead,
			      char out[GA_TIME_SIZE], struct ga_err *err);
/* GPUAAS_STALE_AFTER in seconds, else 24h: the age from which the view of a node is stale.
 * GA_USAGE, naming the setting. */
GA_MUST_CHECK int ga_cli_stale_after(int64_t *ret, struct ga_err *err);
/* The state file: --state, GPUAAS_STATE, else /var/lib/gpuaas/state.db. */
const char *ga_cli_state_path(void);
bool ga_cli_state_named(void); /* by --state */
/* The folder of this program, allocated; NULL when it is unknown. */
char *ga_cli_own_folder(void);
/* The path of a file or folder of share/: beside a program that was installed, of the tree for one
 * that was only built (build/bin), else of PREFIX. Allocated. */
char *ga_cli_own_share(const char *name);
/* The path of another program of gpuaas beside this one; the name alone if it is not there, which
 * base/proc.h looks up. Allocated. */
char *ga_cli_beside(const char *program);
/* The host's own folder: GPUAAS_HOST_DIR, else /var/lib/gpuaas/host. */
const char *ga_cli_host_dir(void);
/* The images of this host: GPUAAS_IMAGES, else /var/lib/gpuaas/images. */
const char *ga_cli_images_dir(void);

/* ---- records out ---- */

/* Writes one record to standard output at once, or adds a row to the table. obj is a struct of the
 * schema; the caller still owns it. Notes the status member of a refusal or failure for
 * ga_cli_finish. GA_SYSTEM when standard output fails: this undoes no commit, and gpuaas-list
 * prints the same records again. */
GA_MUST_CHECK int ga_emit(const struct ga_schema *schema, const void *obj, struct ga_err *err);
/* Passes a record on with exactly the bytes that were read; errors as for ga_emit. */
GA_MUST_CHECK int ga_emit_raw(const struct ga_rec *rec, struct ga_err *err);
/* ga_emit of a record whose line exists already: text is the result of ga_rec_format_text; NULL: no
 * line yet. */
GA_MUST_CHECK int ga_emit_text(const struct ga_schema *schema, const void *obj, const char *text,
			       struct ga_err *err);
/* ga_emit of a result, signed with the host's key (NULL: the host has none). */
GA_MUST_CHECK int ga_emit_signed(const struct ga_schema *schema, const void *obj,
				 const struct ga_sign_key *key, struct ga_err *err);
/* Writes a line that is no record, for options that select another format (CSV, syslog). text has
 * no newline at its end; errors as for ga_emit. */
GA_MUST_CHECK int ga_emit_line(const char *text, struct ga_err *err);
/* Whether stdout gets a table for people. */
bool ga_emit_is_table(void);
/* Prints a line for people on stderr. This function and those below print '?' for each character
 * that could control a terminal, so callers need no check. */
void ga_say(const char *fmt, ...) GA_PRINTF(1, 2);
/* Prints a line for people on stdout, only in table mode (headings, explanations), after the rows
 * so far. */
void ga_print(const char *fmt, ...) GA_PRINTF(1, 2);
/* ga_print of a sentence of a list. A terminal gets it broken between words into lines that fit,
 * those after the first indented. */
void ga_print_item(const char *fmt, ...) GA_PRINTF(1, 2);
/* Prints one record as ga_print does: its kind, then each member on a line. Members without a value
 * show the text "nothing"; NULL leaves them out. */
void ga_print_record(const struct ga_schema *schema, json_t *json, const char *nothing);
/* Prints a text of several lines on stdout, also with --json. */
void ga_print_text(const char *text);
/* For a list that has nothing, where standard output is a terminal: says so on stderr, "no slots",
 * or with filters "no slot matches --where state=available". one and many name what is listed;
 * filters is the text of ga_cli_add_filter, or "". In a pipe it says nothing. */
void ga_cli_say_none(const char *one, const char *many, const char *filters);
/* Adds " --where state=available" for each of the n values of an option, quoted where a shell
 * would read it otherwise; a value NULL adds nothing. */
void ga_cli_add_filter(struct ga_str *out, const char *option, const char *const *values, size_t n);
/* Notes an exit status for ga_cli_finish, as an emitted refusal does. 0 notes nothing; only the
 * first status counts. */
void ga_cli_note_status(int status);
/* Prints an error with its hint as ga_cli_finish does, and notes its status, for work that goes
 * on. */
void ga_cli_say_error(const struct ga_err *err);

/* For orders that the program writes: says on stderr, after the rows, what comes next. Only where
 * stdout is a terminal, so that the orders go to nobody, and each line once. */
void ga_cli_next(const char *fmt, ...) GA_PRINTF(1, 2);

/* ---- records in ---- */

/* One kind of record that a program accepts; the last of a table has no schema, and if it has take,
 * that takes every other record. rec and its pointers are valid only during the call.
 * -1 ends the reading with the error. */
struct ga_consumer {
	const struct ga_schema *schema;
	int (*take)(const struct ga_rec *rec, struct ga_err *err);
};

/* Reads records from a descriptor to its end: calls the consumer of the kind, and passes every
 * other gpuaas record on at once. The table ends with schema NULL; name is for messages. GA_BADREC,
 * with the number of the line, for a line that is no record; the work on earlier records stays. */
GA_MUST_CHECK int ga_cli_stream(int fd, const char *name, const struct ga_consumer *table,
				struct ga_err *err);
/* The same from the file that an operand names; NULL and "-" are standard input, which must not be
 * a terminal (GA_USAGE). The argument "what" names the expected records in that message, in the
 * plural ("records"). */
GA_MUST_CHECK int ga_cli_stream_from(const char *operand, const char *what,
				     const struct ga_consumer *table, struct ga_err *err);
/* The same for slow work: a separate child handles each order, at most jobs (1 or more) at a time,
 * while reading and passing on continue. Notes the status of a child that fails. Passes SIGINT and
 * SIGTERM to the children, which finish or give up at their next phase. No database may be open. */
GA_MUST_CHECK int ga_cli_stream_jobs(int fd, const char *name, const struct ga_consumer *table,
				     int jobs, struct ga_err *err);
/* As ga_cli_stream_jobs, but this process itself handles the kinds of here (a table, or NULL)
 * before it reads more, so that the children of later orders have their data. A kind in both tables
 * goes to a child after that. Orders that arrive together are all read before the first child
 * starts. */
GA_MUST_CHECK int ga_cli_stream_jobs_here(int fd, const char *name, const struct ga_consumer *table,
					  const struct ga_consumer *here, int jobs,
					  struct ga_err *err);
/* For a program that reads records by itself, so that the frame can say at the end that there was
 * nothing to do: the name of its input and the kinds that it takes (NULL-terminated), each record
 * that it took, and each that it passed on. The functions above call these. */
void ga_cli_stream_began(const char *name, const struct ga_schema *const *kinds);
void ga_cli_stream_took(void);
void ga_cli_stream_passed(const struct ga_rec *rec);
/* Opens an operand for reading: "-" is standard input (descriptor 0), else the file. Returns the
 * descriptor; the caller closes it unless it is 0. GA_NOTFOUND if there is no such file; GA_USAGE
 * "is_disk" for a block device. */
GA_MUST_CHECK int ga_cli_open(const char *operand, struct ga_err *err);
/* Checks a path for --output: refuses "-" (GA_USAGE), the state, and anything that is no regular
 * file (GA_CONFLICT, ga_file_may_replace). */
GA_MUST_CHECK int ga_cli_may_replace(const char *path, struct ga_err *err);
/* Refuses standard input that is a terminal (GA_USAGE), so that nobody waits for records that never
 * come. The argument "what" names the expected records in the message. */
GA_MUST_CHECK int ga_cli_need_pipe(const char *what, struct ga_err *err);
/* For a command that does not read standard input: refuses records that wait there (GA_USAGE), a
 * pipe or a file whose next line begins one, and does not take them away. wait_ms: how long an
 * open pipe into which nothing was written is waited for; a stage may need longer, so call it again
 * at the end. hint: how they are read. */
GA_MUST_CHECK int ga_cli_refuse_piped(const char *hint, int wait_ms, struct ga_err *err);
#define GA_CLI_PIPE_WAIT_MS 2000

/* ---- asking ---- */

/* Asks before a step that cannot be undone: warns on stderr that everything on the disks of the
 * allocation will be destroyed, and reads its name (its id when name is NULL) from stdin. GA_NO for
 * any other text. */
GA_MUST_CHECK int ga_cli_confirm(const char *allocation, const char *name, struct ga_err *err);

/* ---- progress for people ---- */

extern const char *const ga_progress_words[]; /* auto, json, none: for --progress */
/* Draws the line "what 42 % 1.2 GiB/s 12 s left" on stderr, over the previous one, if stderr is a
 * terminal and mode is "auto", at most ten times a second. done and total are bytes; total 0 draws
 * no percentage. The start is in monotonic microseconds. ga_cli_progress_end and ga_say clear the
 * line. */
void ga_cli_progress(const char *mode, const char *what, int64_t done, int64_t total,
		     int64_t started_mono_micros);
void ga_cli_progress_end(void);

#endif
