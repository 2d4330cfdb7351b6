/* SPDX-License-Identifier: Apache-2.0 */
/* The meaning of ssh's exit status, and the addresses that ssh gets. */
#include "t.h"

#include "act/device/ssh.h"

static void verdicts(void)
{
	static const struct {
		int status;
		const char *said;
		bool had_output;
		int code;
		const char *reason;
	} cases[] = {
		{ 0, "", false, GA_OK, "" },
		{ 1, "anything", true, GA_OK, "" },
		{ 10, "anything", true, GA_OK, "" },
		{ 254, "", false, GA_EXTERNAL, "command_killed" },
		{ 137, "", true, GA_EXTERNAL, "command_killed" },
		{ 127, "sh: 1: gpuaas-wipe: not found\n", false, GA_HOST, "program_missing" },
		{ 126, "sh: 1: gpuaas-wipe: Permission denied\n", false, GA_DENIED,
		  "program_missing" },
		{ 255, "ssh: connect to host h7 port 22: Connection refused\r\n", false,
		  GA_EXTERNAL, "connection_refused" },
		{ 255, "ssh: connect to host h7 port 22: Connection timed out\r\n", false, GA_BUSY,
		  "unreachable" },
		{ 255, "ssh: connect to host h7 port 22: No route to host\r\n", false, GA_EXTERNAL,
		  "unreachable" },
		{ 255, "ssh: Could not resolve hostname h7: Name or service not known\r\n", false,
		  GA_NOTFOUND, "unknown_address" },
		{ 255, "No ED25519 host key is known for h7\nHost key verification failed.\r\n",
		  false, GA_DENIED, "host_key" },
		{ 255, "root@h7: Permission denied (publickey).\r\n", false, GA_DENIED,
		  "login_denied" },
		{ 255, "Connection closed by 10.0.0.7 port 22\r\n", false, GA_EXTERNAL,
		  "connection_lost" },
		{ 255, "Timeout, server h7 not responding.\r\n", true, GA_EXTERNAL,
		  "connection_lost" },
		/* Words of the command are not ssh's. */
		{ 255, "cannot open x: Permission denied\n", true, GA_EXTERNAL,
		  "connection_lost" },
		{ 255, "", true, GA_EXTERNAL, "connection_lost" },
		{ 255, "", false, GA_EXTERNAL, "connection_failed" },
		{ 255, "something new\n", false, GA_EXTERNAL, "connection_failed" },
	};
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(cases); i++) {
		struct ga_err err = GA_ERR_INIT;
		int r = ga_ssh_verdict(cases[i].status, cases[i].said, cases[i].had_output, &err);

		t_int(r, cases[i].code ? -1 : 0, "case %zu", i);
		t_int(err.code, cases[i].code, "its code, case %zu", i);
		t_str(err.reason, cases[i].reason, "its reason, case %zu", i);
	}
}

static void addresses(void)
{
	static const char *const bad[] = { "", "-oProxyCommand=id", "a b", "h7;id", "$(id)",
					   "h7\n", "h7'", "`id`", "h*" };
	const struct ga_ssh ssh = { .program = "/bin/true", .connect_seconds = 1 };
	size_t i;

	for (i = 0; i < GA_ARRAY_SIZE(bad); i++) {
		struct ga_err err = GA_ERR_INIT;
		struct ga_child child;

		t_int(ga_ssh_start(&ssh, bad[i], "id", false, &child, &err), -1, "refused, %zu", i);
		t_str(err.reason, "address", "its reason");
	}
}

int main(void)
{
	verdicts();
	addresses();
	return t_done();
}
