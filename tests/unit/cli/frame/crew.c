/* SPDX-License-Identifier: Apache-2.0 */
/* The crew of ga_cli_stream_jobs when a worker cannot be started. */
#include "t.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/frame/cli.h"
#include "record/bundle.h"
#include "record/rec.h"
#include "record/wipe.h"

/* The fork of this program: which calls fail. */
static struct {
	int calls, fails_from, fails_to;
	int go[2]; /* a pipe: the first worker waits until a fork has failed: it is at work then */
	int done;  /* a byte for each order that was carried out */
} the;

pid_t fork(void)
{
	pid_t (*real)(void) = (pid_t (*)(void))dlsym(RTLD_NEXT, "fork");

	the.calls++;
	if (the.calls < the.fails_from || the.calls > the.fails_to)
		return real();
	if (write(the.go[1], "!", 1) != 1)
		abort();
	errno = EAGAIN;
	return -1;
}

static int take(const struct ga_rec *rec, struct ga_err *err)
{
	char number = (char)('0' + rec->line), byte;

	if (rec->line == 1 && the.fails_from == 2 && read(the.go[0], &byte, 1) != 1)
		return ga_fail_sys(err, "cannot wait");
	return write(the.done, &number, 1) == 1 ? 0 : ga_fail_sys(err, "cannot note");
}

static int compare(const void *a, const void *b)
{
	return *(const char *)a - *(const char *)b;
}

static void text_of(int fd, struct ga_str *ret)
{
	struct ga_err err = GA_ERR_INIT;

	t_ok(lseek(fd, 0, SEEK_SET) == 0 && !ga_file_read_fd(fd, "it", 65536, ret, &err),
	     "what was written");
}

static int run(int in, int err_fd, struct ga_err *err)
{
	static const struct ga_consumer consumers[] = { { &ga_wipe_order_schema, take },
							{ NULL, NULL } };
	ga_autofd int before = dup(2);
	int r;

	dup2(err_fd, 2);
	r = ga_cli_stream_jobs(in, "orders", consumers, 2, err);
	dup2(before, 2);
	return r;
}

/* An order as gpuaas-approve and gpuaas-release write it: after a release it names the allocation
 * too. */
static void add_order(const char *slot, const char *allocation, struct ga_str *orders)
{
	ga_autofree char *line = NULL;
	struct ga_wipe_order order;

	ga_schema_init(&ga_wipe_order_schema, &order);
	order.node = ga_xstrdup("n1");
	order.object = ga_xstrdup(slot);
	order.allocation = ga_strdup0(allocation);
	order.generation = 2;
	order.attempt = ga_xstrdup("wf000001");
	order.issued_at = ga_xstrdup("2026-01-01T00:00:00.000000Z");
	order.cause = ga_xstrdup(allocation ? "release" : "first");
	order.nvme_wwid = ga_xstrdup("eui.1");
	order.nvme_size_bytes = INT64_C(1) << 30;
	order.wipe = (struct ga_wipe_policy){ ga_xstrdup("clear"), ga_xstrdup("full"),
					      ga_xstrdup("if_supported") };
	line = ga_rec_format_text(&ga_wipe_order_schema, &order);
	ga_str_addf(orders, "%s\n", line);
	ga_schema_release(&ga_wipe_order_schema, &order);
}

static void crew(int from, int to, const char *done, const char *words)
{
	ga_autostr struct ga_str orders = GA_STR_INIT;
	ga_autostr struct ga_str did = GA_STR_INIT, said = GA_STR_INIT;
	ga_autofd int in = memfd_create("orders", 0), err_fd = memfd_create("said", 0);
	struct ga_err err = GA_ERR_INIT;
	int r;

	add_order("aaaaaaaa", NULL, &orders);
	add_order("bbbbbbbb", NULL, &orders);
	add_order("cccccccc", "dddddddd", &orders);
	the.calls = 0;
	the.fails_from = from;
	the.fails_to = to;
	the.done = memfd_create("done", 0);
	/* Two workers write at once, and a memfd's place is not locked as a file's is. */
	t_ok(in >= 0 && err_fd >= 0 && the.done >= 0 && !pipe(the.go) &&
		     !fcntl(the.done, F_SETFL, O_APPEND) &&
		     !ga_write_all(in, orders.buf, orders.len) && lseek(in, 0, SEEK_SET) == 0,
	     "three orders; forks %d to %d fail", from, to);
	r = run(in, err_fd, &err);
	t_ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "no worker is left");
	text_of(the.done, &did);
	text_of(err_fd, &said);
	qsort(did.buf, did.len, 1, compare);
	t_str(did.buf, done, "what was carried out");
	t_str(said.buf, words, "the words about the others");
	if (*words)
		t_code(r, &err, GA_SYSTEM, "cannot start a worker", "and why");
	else
		t_int(r, 0, "and it went well (%s)", err.msg);
	close(the.go[0]);
	close(the.go[1]);
	close(the.done);
}

#define LEFT(line, what, id) \
	"crew: line " line " was not begun: " what " of " id "; run the same again\n"
#define LEFT_2_3 LEFT("2", "wipe-order", "bbbbbbbb") LEFT("3", "wipe-order", "cccccccc")

int main(void)
{
	static const struct ga_prog prog = { .name = "crew" };
	char *argv[] = { (char *)(uintptr_t)"crew", NULL };
	struct ga_err err = GA_ERR_INIT;

	t_int(ga_cli_parse(&prog, 1, argv, &err), 1, "the program");
	crew(9, 9, "123", "");
	crew(2, 2, "123", "");
	crew(2, 9, "1", LEFT_2_3);
	crew(1, 9, "", LEFT("1", "wipe-order", "aaaaaaaa") LEFT_2_3);
	return t_done();
}
