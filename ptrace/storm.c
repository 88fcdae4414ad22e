#include "ptrace/storm.h"

#include "src/base/clock.h"

#include <signal.h>

bool storm_is_unheard(int signal)
{
	return signal == SIGCHLD || signal == SIGURG || signal == SIGWINCH;
}

void storm_count(struct storm *storm, int signal, uint64_t now_ns)
{
	if (storm_is_unheard(signal))
		storm->until_ns = UINT64_MAX;
	if (storm->until_ns == UINT64_MAX)
		return;
	if (now_ns - storm->window_ns > STORM_WINDOW_MS * NS_PER_MS) {
		storm->window_ns = now_ns;
		storm->signals = 0;
	}
	if (++storm->signals <= STORM_SIGNALS)
		return;
	storm->until_ns = now_ns + STORM_CALM_MS * NS_PER_MS;
	storm->signals = 0;
}

bool storm_rages(const struct storm *storm, uint64_t now_ns)
{
	return now_ns < storm->until_ns;
}
