/* SPDX-License-Identifier: Apache-2.0 */
/* A pager for output that is longer than the terminal. */
#include "cli/frame/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/proc.h"
#include "base/texts.h"
#include "cli/frame/cli.h"
#include "cli/frame/form.h"
#include "record/size.h"

static int terminal = -1; /* standard output, while a file in memory stands for it */

bool ga_pager_is_on(void)
{
	return terminal >= 0;
}

void ga_pager_begin(void)
{
	const char *term = getenv("TERM");
	ga_autofd int fd = -1;

	if (terminal >= 0 || !isatty(STDOUT_FILENO) || !term || !strcmp(term, "dumb"))
		return;
	fd = memfd_create("output", MFD_CLOEXEC);
	if (fd < 0)
		return;
	terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	if (terminal >= 0 && dup2(fd, STDOUT_FILENO) < 0)
		close(GA_TAKE_FD(terminal));
}

/* ---- which pager ---- */

/* Whether somebody else's environment may be ours: then no program is taken from it, and the pager
 * starts none. The rule of systemd, pager.c. */
static bool is_guarded(void)
{
	return geteuid() != getuid() || !secure_getenv("TERM") || getenv("SUDO_UID") ||
	       getenv("PKEXEC_UID") || getenv("DOAS_USER");
}

/* Splits the command at spaces. false: a shell would be needed to understand it. */
static bool split(const char *command, struct ga_texts *ret)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "-_./+=,:@%";
	const char *p = command;

	while (*p) {
		size_t n = strspn(p, plain);

		if (n)
			*ga_list_add(ret) = ga_xstrndup(p, n);
		p += n;
		if (*p && *p != ' ' && *p != '\t')
			return false;
		p += strspn(p, " \t");
	}
	return true;
}

/* Fills argv without its NULL at the end; nothing: no pager is wanted. Returns whether a person
 * chose it. */
static bool choose(struct ga_texts *argv)
{
	const char *from = "GPUAAS_PAGER", *command = is_guarded() ? NULL : getenv(from);

	if (!command)
		command = ga_cli_configured(from, NULL);
	if (!command && !is_guarded())
		command = getenv(from = "PAGER");
	if (command && !split(command, argv)) {
		ga_say("%s: warning: %s '%.64s' needs a shell, and none is used: less shows the "
		       "output", ga_cli_program(), from, command);
		ga_texts_release(argv);
		command = NULL;
	}
	if (!command)
		*ga_list_add(argv) = ga_xstrdup("less");
	if (argv->n == 1 && !strcmp(argv->v[0], "cat"))
		ga_texts_release(argv);
	return command != NULL;
}

/* The environment of the pager: ours with the options of less, or one of our own. */
static void make_environment(struct ga_texts *env)
{
	static const char *const kept[] = { "TERM", "LANG", "LC_ALL", "LC_CTYPE", "COLORTERM" };
	bool guarded = is_guarded(), less = false, secure = false;
	char **e;
	size_t i;

	for (e = environ; !guarded && *e; e++) {
		less = less || ga_starts(*e, "LESS=");
		secure = secure || ga_starts(*e, "LESSSECURE=");
		*ga_list_add(env) = ga_xstrdup(*e);
	}
	for (i = 0; guarded && i < GA_ARRAY_SIZE(kept); i++)
		if (getenv(kept[i]))
			*ga_list_add(env) = ga_xprintf("%s=%s", kept[i], getenv(kept[i]));
	if (guarded)
		*ga_list_add(env) = ga_xprintf("PATH=%s", ga_proc_path());
	/* Rows of a wide table are cut at the edge, and the arrow keys move along them: F would
	 * end less where these rows fit the height of the screen. */
	if (!less)
		*ga_list_add(env) = ga_xprintf("LESS=%s", ga_form()->wide ? "RXMKS" : "FRXMK");
	if (!secure)
		*ga_list_add(env) = ga_xstrdup("LESSSECURE=1");
	*ga_list_add(env) = NULL;
}

/* ---- showing ---- */

static int64_t from_environment(const char *name, int64_t fallback)
{
	struct ga_err ignored = GA_ERR_INIT;
	const char *text = getenv(name);
	int64_t n;

	return text && ga_int_parse(text, name, 1, 10000, &n, &ignored) == 0 ? n : fallback;
}

/* Whether the text takes more lines of the terminal than there are above the prompt, or is a wide
 * table with a row that would take several. */
static bool is_long(const char *text, size_t len)
{
	struct winsize w = { 0 };
	int64_t rows, width, lines = 1, at = 0;
	size_t i;

	if (ioctl(terminal, TIOCGWINSZ, &w) < 0)
		w = (struct winsize){ 0 };
	rows = from_environment("LINES", w.ws_row ? w.ws_row : 24);
	width = from_environment("COLUMNS", w.ws_col ? w.ws_col : 80);
	for (i = 0; i < len && lines < rows; i++) {
		if (text[i] == '\033') { /* a colour: "\033[32m" */
			while (i < len && text[i] != 'm')
				i++;
		} else if (text[i] == '\n') {
			lines++;
			at = 0;
		} else if ((text[i] & 0xc0) != 0x80 && ++at > width) {
			if (ga_form()->wide)
				return true;
			lines++;
			at = 1;
		}
	}
	return lines >= rows && i < len;
}

/* Shows the file in the pager until the reader leaves it. false: there is none. */
static bool show(int fd)
{
	struct ga_texts argv = { 0 }, env = { 0 };
	struct sigaction ignore = { .sa_handler = SIG_IGN }, interrupt, quit;
	int status = -1;
	bool chosen = choose(&argv), missing;
	pid_t pid;

	if (!argv.n)
		return false;
	*ga_list_add(&argv) = NULL;
	make_environment(&env);
	/* The pager has the keyboard: what it does with Ctrl-C is its matter. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pid = lseek(fd, 0, SEEK_SET) == 0 ? fork() : -1;
	if (pid == 0) {
		sigaction(SIGINT, &interrupt, NULL);
		sigaction(SIGQUIT, &quit, NULL);
		ga_proc_default_signals();
		prctl(PR_SET_PDEATHSIG, SIGTERM);
		if (dup2(fd, STDIN_FILENO) == STDIN_FILENO)
			ga_proc_exec((const char *const *)(uintptr_t)argv.v, env.v);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	missing = pid < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 127);
	/* A machine without less is in order. */
	if (missing && chosen)
		ga_say("%s: warning: the pager '%s' cannot be run: --no-pager does without",
		       ga_cli_program(), argv.v[0]);
	ga_texts_release(&argv);
	ga_texts_release(&env);
	return !missing;
}

int ga_pager_end(void)
{
	ga_autofd int fd = -1;
	off_t size;
	char *text = NULL;
	int r = 0, saved = 0;

	if (terminal < 0)
		return 0;
	fflush(stdout);
	fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	if (size > 0)
		text = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (size < 0 || text == MAP_FAILED || dup2(terminal, STDOUT_FILENO) < 0) {
		saved = errno;
		r = -1;
	} else if (size > 0 && (!is_long(text, (size_t)size) || !show(fd))) {
		r = ga_write_all(STDOUT_FILENO, text, (size_t)size);
		saved = errno;
	}
	if (text && text != MAP_FAILED)
		munmap(text, (size_t)size);
	close(GA_TAKE_FD(terminal));
	errno = saved;
	return r;
}
