/* SPDX-License-Identifier: Apache-2.0 */
/* The console of a VM. The audit names the users who opened it; a recording beside the record has
 * the output. */
#include <ctype.h>
#include <fcntl.h>
#include <unistd.h>

#include "act/device/console.h"
#include "act/device/virt_console.h"
#include "act/vm/internal.h"
#include "base/file.h"
#include "record/id.h"
#include "record/time.h"

struct session {
	struct ga_vm vm;
	struct ga_console rec; /* borrowed, except the four below */
	char *path, *record_path, *started_at, *ended_at;
	int recording;
	struct ga_console_end end;
};

static void session_close(struct session *s)
{
	ga_vm_close(&s->vm);
	free(s->path);
	free(s->record_path);
	free(s->started_at);
	free(s->ended_at);
	if (s->recording >= 0)
		close(s->recording);
}

/* HOST_DIR/console/ALLOCATION-TIME-ID.log: the names sort by time, and no name comes twice. */
static int open_recording(struct session *s, struct ga_err *err)
{
	ga_autofree char *dir = ga_xprintf("%s/console", s->vm.opts->host_dir);
	ga_autofree char *id = ga_id_new(), *when = ga_xstrdup(s->started_at);
	char *to = when;

	for (const char *from = when; *from && *from != '.'; from++)
		if (isdigit((unsigned char)*from) || *from == 'T')
			*to++ = *from;
	*to = '\0';
	s->path = ga_xprintf("%s/%s-%s-%s.log", dir, s->vm.plan.allocation, when, id);
	s->record_path = ga_xprintf("%s/%s-%s-%s.json", dir, s->vm.plan.allocation, when, id);
	if (ga_file_mkdirs(dir, 0700, err) < 0)
		return -1;
	s->recording = open(s->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	return s->recording < 0 ? ga_fail_sys(err, "cannot make the recording '%s'", s->path) : 0;
}

/* Writes the record of the session into the state, where this machine has it, and beside the
 * recording, for a state on another machine. */
static int tell(struct session *s, struct ga_err *err)
{
	ga_autofree char *text = NULL, *line = NULL;

	s->rec = (struct ga_console){
		.allocation = s->vm.plan.allocation,
		.node = s->vm.plan.node,
		.generation = s->vm.plan.generation,
		.attempt = s->vm.plan.attempt,
		.path = s->path,
		.digest = s->ended_at ? s->end.digest : NULL,
		.bytes = s->ended_at ? s->end.bytes : GA_UNKNOWN,
		.started_at = s->started_at,
		.ended_at = s->ended_at,
		.lab = s->vm.plan.lab,
	};
	text = ga_rec_format_text(&ga_console_schema, &s->rec);
	line = ga_xprintf("%s\n", text);
	if (ga_file_replace(s->record_path, line, strlen(line), 0600, err) < 0)
		return -1;
	return s->vm.opts->fold(&ga_console_schema, &s->rec, err);
}

int ga_vm_console(const char *id, int in, int out, const struct ga_vm_opts *opts,
		  struct ga_err *err)
{
	ga_cleanup(session_close) struct session s = { .recording = -1 };
	ga_autovirtconsole struct ga_virt_console *wire = NULL;
	struct ga_err second = GA_ERR_INIT;
	ga_autofree char *words = NULL;
	enum ga_virt_state state;
	int r;

	if (ga_vm_open(id, opts, &s.vm, err) < 0 || ga_vm_check(&s.vm, true, err) < 0 ||
	    ga_vm_state(&s.vm, &state, err) < 0)
		return -1;
	if (!ga_vm_is_on(state))
		return ga_refuse(err, GA_CONFLICT, "vm_off", s.vm.plan.allocation,
				 ("the VM of '%s' is off", s.vm.plan.allocation),
				 ("gpuaas-vm start %s; what it printed before is in '%s'",
				  s.vm.plan.allocation, s.vm.p.console_log));
	s.started_at = ga_time_now();
	if (ga_virt_console_open(opts->libvirt_uri, s.vm.plan.domain, &wire, err) < 0 ||
	    open_recording(&s, err) < 0)
		return -1;
	/* The audit must know of every session: if this fails, nothing is shown. */
	if (tell(&s, err) < 0)
		return -1;
	words = ga_xprintf("console of %s, recorded in %s; ^] leaves it", s.vm.plan.allocation,
			   s.path);
	opts->to.say(words);
	r = ga_console_run(&(const struct ga_console_io){ .in = in, .out = out,
							  .wire = ga_virt_console_fd(wire),
							  .recording = s.recording },
			   &s.end, err);
	s.ended_at = ga_time_now();
	if (fsync(s.recording) < 0 && r == 0)
		r = ga_fail_sys(err, "cannot keep the recording '%s'", s.path);
	if (tell(&s, r < 0 ? &second : err) < 0)
		return -1;
	opts->to.say(s.end.escaped ? "left the console" : "the console ended");
	return r;
}
