#include "src/program/options.h"

/* Wide as a terminal is; formatting would break the lines where a reader does not. */
/* clang-format off */
static const char *const texts[] = {
	[COMMAND_TOP] =
"Usage: cproftop [OPTION]... [-p PID[,PID]... | NAME | -- CMD [ARG]...]\n"
"       cproftop record|dump|demo ... ('cproftop record --help')\n"
"\n"
"Show live where a running process spends its time: no restart, no root for\n"
"your own processes. Without PID, NAME or CMD: choose a process from a list.\n"
"\n"
"  -p, --pid PID[,PID]...  the process to look at, or several\n"
"      --children          and its children, as they come\n"
"  -F, --frequency HZ      samples per second and thread, 1..10000 (99)\n"
"  -m, --mode MODE         count 'cpu' time, or 'wall' clock of all, also sleepers\n"
"      --max-overhead PCT  sample less often if it would stop the process for more\n"
"                          of its time than that (1); 0 or none: never\n"
"      --max-cpu PCT       the same for what cproftop uses of one CPU (10)\n"
"  -w, --window SEC        how far back the numbers reach (30)\n"
"  -t, --threads REGEX     only threads with such a name\n"
"      --granularity WHAT  what a row is: 'function', 'line', 'module' or 'address'\n"
"      --no-mouse          leave the mouse to the terminal\n"
"      --ascii             draw with ASCII characters only\n"
"      --no-color          no colours (also: NO_COLOR)\n"
"      --ui-script FILE    play keys from FILE without a terminal\n",

	[COMMAND_RECORD] =
"Usage: cproftop record (-p PID[,PID]... | -- CMD [ARG]...) [OPTION]...\n"
"\n"
"Sample a process and write a profile when the time is over, the process ends,\n"
"or at Ctrl-C.\n"
"\n"
"  -p, --pid PID[,PID]...  the process to look at, or several\n"
"      --children          and its children, as they come\n"
"  -o, --output FILE       where to (cproftop.pb.gz); - is standard output\n"
"  -f, --format FORMAT     pprof, folded or text; by the suffix of FILE if absent\n"
"  -d, --duration SEC      for how long (until Ctrl-C or exit)\n"
"      --every SEC         a file for each SEC seconds, into the folder -o DIR\n"
"  -F, --frequency HZ      samples per second and thread, 1..10000 (99)\n"
"  -m, --mode MODE         count 'cpu' time, or 'wall' clock of all, also sleepers\n"
"      --max-overhead PCT  sample less often if it would stop the process for more\n"
"                          of its time than that (1); 0 or none: never\n"
"      --max-cpu PCT       the same for what cproftop uses of one CPU (10)\n"
"      --weight WHAT       folded: count 'samples', or microseconds of 'cpu' or 'wall'\n"
"      --granularity WHAT  what a row is: 'function', 'line', 'module' or 'address'\n"
"  -q, --quiet             no progress and no summary\n"
"      --stats FILE        write what sampling cost and achieved as JSON\n",

	[COMMAND_DUMP] =
"Usage: cproftop dump -p PID [OPTION]...\n"
"\n"
"Print the stacks of all threads as they are now. Threads that sleep are not\n"
"stopped.\n"
"\n"
"  -p, --pid PID           the process to look at\n"
"      --live              stop every thread, also sleeping ones, and unwind with\n"
"                          libunwind's own accessors\n"
"      --no-lines          no source lines and inlined functions: sooner\n",

	[COMMAND_DEMO] =
"Usage: cproftop demo [OPTION]...\n"
"\n"
"Look at a built-in workload: two prime testers, a pool of workers, a sleeper.\n"
"Takes the options of cproftop; without a terminal it prints a report.\n",
};

static const char common[] =
"      --debug-dir DIR     where separate debug files are, besides /usr/lib/debug\n"
"      --debuginfod        fetch debug files that are not here from the servers in\n"
"                          $DEBUGINFOD_URLS\n"
"      --demangle STYLE    names 'full', 'no-params', 'no-templates' or 'none'\n"
"                          (no-params)\n"
"      --inlines MODE      'show' inlined functions, or 'fold' them into their\n"
"                          caller; record: or 'split' them, for some pprof readers\n"
"      --stack-bytes N     copy at most N bytes of a stack, 1024..16777216 (1048576)\n"
"      --no-syscall-restart  never write to the target, not even to spare it an EINTR\n"
"  -h, --help              this\n"
"  -V, --version           which version\n";
/* clang-format on */

void options_print_help(enum command command, FILE *out)
{
	fprintf(out, "%s%s", texts[command], common);
}
