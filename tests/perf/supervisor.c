/* Shows which events a command and its descendants ask the kernel for, on a machine that has none of them (x86-64, Linux
 * 5.3 or later): supervisor LOG [RULE...] COMMAND...
 *
 * It follows them by ptrace(2), writes a line for each perf_event_open(2) to LOG, and makes every event of hardware a
 * task clock, which opens everywhere. A rule refuses events as a real kernel does:
 *   --slots              Intel's top-down events need a group that "slots" leads (intel_pmu_hw_config)
 *   --kinds=TYPE:CPU,... a PMU's events exist on this CPU only, as on processors with two kinds of core
 *   --plain              portable events name no PMU in their upper half: Arm before Linux 6.6
 *   --fail=N             there are no descriptors left for the N-th event, of all processes
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TASKS_MOST = 4096, FILES_MOST = 65536, KINDS_MOST = 8 };
enum {
    SLOTS = 0x400,
    METRICS = 0x8000
}; /* attr.config of Intel's events; umask 0x80 and above: metrics */

struct task {
    pid_t pid;
    int started; /* it was stopped once by its parent's fork or clone */
    int pending; /* it is inside perf_event_open */
    long refusal;
    unsigned long address; /* of its perf_event_attr */
    unsigned size;
    struct perf_event_attr attr; /* as it asked */
    int group, cpu;
};

static struct task tasks[TASKS_MOST];
static size_t task_count;
static unsigned char leads_slots[FILES_MOST]; /* by descriptor */
static int slots_rule, plain_rule;
static unsigned long opened, failing;
static struct {
    unsigned type;
    int cpu;
} kinds[KINDS_MOST];
static size_t kind_count;
static FILE *listing;

static struct task *task_of(pid_t pid)
{
    for (size_t i = 0; i < task_count; i++)
        if (tasks[i].pid == pid)
            return &tasks[i];
    if (task_count == TASKS_MOST)
        exit(125);
    tasks[task_count].pid = pid;
    return &tasks[task_count++];
}

static void copy_in(pid_t pid, unsigned long address, void *to, size_t size)
{
    struct iovec here = {to, size}, there = {(void *)address, size};
    if (process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)size)
        memset(to, 0, size);
}

static void copy_out(pid_t pid, unsigned long address, void *from, size_t size)
{
    struct iovec here = {from, size}, there = {(void *)address, size};
    (void)process_vm_writev(pid, &here, 1, &there, 1, 0);
}

static int is_of_hardware(const struct perf_event_attr *attr)
{
    return attr->type != PERF_TYPE_SOFTWARE && attr->type != PERF_TYPE_TRACEPOINT &&
           attr->type != PERF_TYPE_BREAKPOINT;
}

static int is_metric(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_RAW && (attr->config & 0xff) == 0 &&
           (attr->config & 0xffff) >= METRICS;
}

static int is_slots(const struct perf_event_attr *attr)
{
    return attr->type == PERF_TYPE_RAW && (attr->config & 0xffff) == SLOTS;
}

/* Of a generic event, the upper half of config names the PMU. */
static unsigned pmu_of(const struct perf_event_attr *attr)
{
    unsigned named = (unsigned)(attr->config >> 32);
    if (attr->type == PERF_TYPE_HARDWARE || attr->type == PERF_TYPE_HW_CACHE)
        return named ? named : PERF_TYPE_RAW;
    return attr->type;
}

static long refusal_of(const struct task *task)
{
    if (++opened == failing)
        return -EMFILE;
    if (slots_rule && is_metric(&task->attr) &&
        (task->group < 0 || task->group >= FILES_MOST || !leads_slots[task->group]))
        return -EINVAL;
    if (plain_rule && task->attr.type == PERF_TYPE_HARDWARE && task->attr.config >> 32)
        return -ENOENT;
    for (size_t i = 0; i < kind_count; i++)
        if (is_of_hardware(&task->attr) && pmu_of(&task->attr) == kinds[i].type && task->cpu >= 0 &&
            task->cpu != kinds[i].cpu)
            return -ENOENT;
    return 0;
}

static void enter(struct task *task, const struct __ptrace_syscall_info *info)
{
    struct perf_event_attr *attr = &task->attr;
    memset(attr, 0, sizeof *attr);
    task->address = info->entry.args[0];
    task->cpu = (int)info->entry.args[2];
    task->group = (int)info->entry.args[3];
    copy_in(task->pid, task->address, attr, PERF_ATTR_SIZE_VER0);
    task->size = attr->size > sizeof *attr ? (unsigned)sizeof *attr : attr->size;
    copy_in(task->pid, task->address, attr, task->size);
    task->pending = 1;
    task->refusal = refusal_of(task);
    if (task->refusal) { /* no such call */
        struct user_regs_struct registers;
        ptrace(PTRACE_GETREGS, task->pid, 0, &registers);
        registers.orig_rax = (unsigned long long)-1;
        ptrace(PTRACE_SETREGS, task->pid, 0, &registers);
    } else if (is_of_hardware(attr)) {
        struct perf_event_attr clock = *attr;
        clock.type = PERF_TYPE_SOFTWARE;
        clock.config = PERF_COUNT_SW_TASK_CLOCK;
        clock.config1 = clock.config2 = 0;
        clock.precise_ip = 0;
        copy_out(task->pid, task->address, &clock, task->size);
    }
}

static void leave(struct task *task, const struct __ptrace_syscall_info *info)
{
    const struct perf_event_attr *attr = &task->attr;
    long result = (long)info->exit.rval;
    task->pending = 0;
    if (task->refusal) {
        struct user_regs_struct registers;
        ptrace(PTRACE_GETREGS, task->pid, 0, &registers);
        registers.rax = (unsigned long long)task->refusal;
        ptrace(PTRACE_SETREGS, task->pid, 0, &registers);
        result = task->refusal;
    } else if (is_of_hardware(attr))
        copy_out(task->pid, task->address, &task->attr, task->size);
    if (result >= 0 && result < FILES_MOST)
        leads_slots[result] = is_slots(attr) && task->group < 0;
    fprintf(
        listing,
        "type=%u config=%llx config1=%llx config2=%llx user=%d kernel=%d hv=%d host=%d guest=%d "
        "pinned=%d inherit=%d sampling=%d member=%d cpu=%d result=%ld\n",
        attr->type, (unsigned long long)attr->config, (unsigned long long)attr->config1,
        (unsigned long long)attr->config2, !attr->exclude_user, !attr->exclude_kernel,
        !attr->exclude_hv, !attr->exclude_host, !attr->exclude_guest, attr->pinned, attr->inherit,
        attr->sample_period > 0, task->group >= 0, task->cpu, result);
    fflush(listing);
}

/* Returns the signal that the task receives when it continues. */
static int handle(struct task *task, int status)
{
    int signal = WSTOPSIG(status);
    struct __ptrace_syscall_info info;
    if (signal == (SIGTRAP | 0x80)) {
        ptrace(PTRACE_GET_SYSCALL_INFO, task->pid, sizeof info, &info);
        if (info.op == PTRACE_SYSCALL_INFO_ENTRY && info.entry.nr == SYS_perf_event_open)
            enter(task, &info);
        else if (info.op == PTRACE_SYSCALL_INFO_EXIT && task->pending)
            leave(task, &info);
        return 0;
    }
    if (status >> 16) /* an event that was asked for below */
        return 0;
    if (signal == SIGSTOP && !task->started) {
        task->started = 1;
        return 0;
    }
    return signal;
}

static void read_kinds(const char *text)
{
    char *end;
    for (; *text && kind_count < KINDS_MOST; text = *end ? end + 1 : end) {
        kinds[kind_count].type = (unsigned)strtoul(text, &end, 10);
        kinds[kind_count++].cpu = (int)strtol(end + 1, &end, 10);
    }
}

static char **read_rules(char **words)
{
    for (; *words && strncmp(*words, "--", 2) == 0; words++)
        if (strcmp(*words, "--slots") == 0)
            slots_rule = 1;
        else if (strcmp(*words, "--plain") == 0)
            plain_rule = 1;
        else if (strncmp(*words, "--fail=", 7) == 0)
            failing = strtoul(*words + 7, NULL, 10);
        else if (strncmp(*words, "--kinds=", 8) == 0)
            read_kinds(*words + 8);
    return words;
}

static pid_t start(char **words)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        ptrace(PTRACE_TRACEME, 0, 0, 0);
        raise(SIGSTOP);
        execvp(words[0], words);
        _exit(127);
    }
    waitpid(pid, &status, 0);
    task_of(pid)->started = 1;
    ptrace(PTRACE_SETOPTIONS, pid, 0,
           PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE |
               PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL);
    ptrace(PTRACE_SYSCALL, pid, 0, 0);
    return pid;
}

int main(int argc, char **argv)
{
    char **words = argc > 2 ? read_rules(argv + 2) : NULL;
    int status, end = 0;
    if (!words || !*words || !(listing = fopen(argv[1], "w"))) {
        fprintf(stderr, "usage: supervisor LOG [RULE...] COMMAND...\n");
        return 125;
    }
    pid_t first = start(words), pid;
    while ((pid = waitpid(-1, &status, __WALL)) > 0 || errno == EINTR) {
        if (pid == first && !WIFSTOPPED(status))
            end = status;
        if (pid > 0 && WIFSTOPPED(status))
            ptrace(PTRACE_SYSCALL, pid, 0, (long)handle(task_of(pid), status));
    }
    return WIFEXITED(end) ? WEXITSTATUS(end) : 128;
}
