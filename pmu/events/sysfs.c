/* sysfs: the PMUs that the kernel describes. A PMU's directory has its `type`; in format/ a file for each
 * term ("config:0-7,32-35": where its bits go); and in events/ a file of terms for each event. ABI:
 * sysfs-bus-event_source-devices-format and -events. */
#include "pmu/events/events.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- tracepoint -------------------------------------------------------------------------------- */

/* tracepoint: events that the kernel's code reports itself: every system call, every switch of a CPU to
 * another task. They need no PMU. Their numbers are in tracefs: events/SYSTEM/NAME/id. */

/* Where it is usually mounted, and where it was before Linux 4.1. */
static const char *const places[] = {"/sys/kernel/tracing", "/sys/kernel/debug/tracing"};
enum { PLACES = sizeof places / sizeof places[0], TRACE_PATH_SIZE = 400 };

/* lauka's name for one of them. */
static const char short_name[] = "syscalls", short_meaning[] = "raw_syscalls:sys_enter";

/* "sched:sched_switch"; nothing that leads out of a folder. */
bool lauka_tracepoint_is(const char *name)
{
    const char *colon = strchr(name, ':');
    if (!colon || colon == name || !colon[1])
        return false;
    for (const char *at = name; *at; at++)
        if (at != colon && !isalnum((unsigned char)*at) && *at != '_' && *at != '-')
            return false;
    return strcmp(colon, ":enable") != 0 && strcmp(colon, ":filter") != 0; /* files beside them */
}

/* The errno that prevents reading the folder of events; 0 if it can be read. */
static int find_root(const char *const *roots, size_t count, const char **root)
{
    int error = ENOENT;
    for (size_t i = 0; i < count; i++) {
        char path[TRACE_PATH_SIZE];
        snprintf(path, sizeof path, "%s/events", roots[i]);
        *root = roots[i];
        if (access(path, R_OK | X_OK) == 0)
            return 0;
        error = errno == EACCES || errno == EPERM ? EACCES : error;
    }
    return error;
}

static int read_id(const char *root, const char *name, uint64_t *id)
{
    char file[TRACE_PATH_SIZE], text[32], *end;
    const char *colon = strchr(name, ':');
    snprintf(file, sizeof file, "events/%.*s/%s/id", (int)(colon - name), name, colon + 1);
    errno = 0;
    if (!lauka_sysfs_read(root, file, text, sizeof text))
        return errno == EACCES || errno == EPERM ? EACCES : ESRCH;
    *id = strtoull(text, &end, 10);
    return end != text && !*end && *id != 0 ? 0 : ESRCH;
}

int lauka_tracepoint_find(const char *root, struct lauka_event *event)
{
    const char *name = strcmp(event->name, short_name) == 0 ? short_meaning : event->name;
    int error = find_root(root ? &root : places, root ? 1 : PLACES, &root);
    if (event->config != 0)
        return 0;
    return error ? error : read_id(root, name, &event->config);
}

char **lauka_tracepoint_list(const char *root, const char *system)
{
    char folder[TRACE_PATH_SIZE];
    if (find_root(root ? &root : places, root ? 1 : PLACES, &root) != 0)
        return NULL;
    snprintf(folder, sizeof folder, "events%s%s", system ? "/" : "", system ? system : "");
    return lauka_sysfs_list(root, folder);
}

/* ---- sysfs ------------------------------------------------------------------------------------- */

enum { PATH_SIZE = 1024, TEXT_SIZE = 512, CPUINFO_SIZE = 8192 };

/* ---- Files ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool append_name(char ***names, size_t *count, const char *name)
{
    char **grown = realloc(*names, (*count + 2) * sizeof *grown);
    if (!grown)
        return false;
    *names = grown;
    grown[*count] = strdup(name);
    if (!grown[*count])
        return false;
    grown[++*count] = NULL;
    return true;
}

char **lauka_sysfs_list(const char *root, const char *folder)
{
    char path[PATH_SIZE], **names = NULL;
    size_t count = 0;
    bool good = true;
    snprintf(path, sizeof path, "%s/%s", root, folder);
    DIR *directory = opendir(path);
    if (!directory)
        return NULL;
    for (struct dirent *entry; good && (entry = readdir(directory));)
        good = entry->d_name[0] == '.' || append_name(&names, &count, entry->d_name);
    closedir(directory);
    if (names && good)
        qsort(names, count, sizeof *names, by_name);
    if (good)
        return names;
    lauka_sysfs_free(names);
    errno = ENOMEM;
    return NULL;
}

void lauka_sysfs_free(char **names)
{
    for (char **name = names; name && *name; name++)
        free(*name);
    free(names);
}

size_t lauka_sysfs_take(const char *root, const char *file, char *text, size_t size)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s", root, file);
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    size_t length = 0;
    ssize_t got;
    while (descriptor >= 0 && length < size &&
           (got = read(descriptor, text + length, size - length)) > 0)
        length += (size_t)got;
    if (descriptor >= 0)
        close(descriptor);
    text[length < size ? length : size - 1] = '\0';
    return length;
}

bool lauka_sysfs_read(const char *root, const char *file, char *text, size_t size)
{
    size_t length = lauka_sysfs_take(root, file, text, size);

    text[strcspn(text, "\n")] = '\0';
    return length > 0 && length < size;
}

bool lauka_cpuinfo(const char *proc, const char *name, char *value, size_t size)
{
    char text[CPUINFO_SIZE];
    size_t length = strlen(name);

    *value = '\0';
    lauka_sysfs_take(proc, "cpuinfo", text, sizeof text);
    for (const char *at = text; *at; at += strcspn(at, "\n"), at += *at == '\n') {
        const char *behind = at + length;
        if (strncmp(at, name, length) != 0 || *(behind += strspn(behind, " \t")) != ':')
            continue;
        behind += 1 + strspn(behind + 1, " \t");
        snprintf(value, size, "%.*s", (int)strcspn(behind, "\n"), behind);
        return true;
    }
    return false;
}

static bool has_file(const char *root, const char *pmu, const char *name)
{
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%s/%s", root, pmu, name);
    return access(path, F_OK) == 0;
}

bool lauka_sysfs_is_event(const char *name)
{
    return !strstr(name, ".scale") && !strstr(name, ".unit") && !strstr(name, ".snapshot") &&
           !strstr(name, ".per-pkg");
}

bool lauka_sysfs_pmu(const char *root, const char *pmu, uint32_t *type)
{
    char file[PATH_SIZE], text[TEXT_SIZE];
    snprintf(file, sizeof file, "%s/type", pmu);
    if (!*pmu || strchr(pmu, '/') || !lauka_sysfs_read(root, file, text, sizeof text))
        return false;
    if (type)
        *type = (uint32_t)strtoul(text, NULL, 10);
    return true;
}

bool lauka_sysfs_is_system_wide(const char *root, const char *pmu)
{
    return has_file(root, pmu, "cpumask");
}

bool lauka_sysfs_is_of_cores(const char *root, const char *pmu)
{
    return strcmp(pmu, "cpu") == 0 || has_file(root, pmu, "cpus");
}

/* ---- Terms ---- */

struct request {               /* one PMU/TERMS/ */
    const char *root, *pmu;    /* borrowed */
    struct lauka_event *event; /* borrowed; filled */
    char *text;                /* borrowed; why it cannot be */
    size_t size;
    bool in_event; /* the terms come from a file of events/, and lead to no further one */
};

static bool place_terms(const struct request *request, const char *terms);

/* Spreads the value's bits over a field: "config1:0-7,32". False if it does not fit. */
static bool place_bits(struct lauka_event *event, const char *field, uint64_t value)
{
    uint64_t *config = strncmp(field, "config1:", 8) == 0   ? &event->config1
                       : strncmp(field, "config2:", 8) == 0 ? &event->config2
                       : strncmp(field, "config:", 7) == 0  ? &event->config
                                                            : NULL;
    if (!config)
        return false;
    char *end;
    const char *at = strchr(field, ':');
    do {
        unsigned long low = strtoul(at + 1, &end, 10);
        unsigned long high = *end == '-' ? strtoul(end + 1, &end, 10) : low;
        at = end;
        if (high > 63 || low > high)
            return false;
        for (unsigned long bit = low; bit <= high; bit++, value >>= 1)
            *config = (*config & ~(UINT64_C(1) << bit)) | (value & 1) << bit;
    } while (*at == ',');
    return value == 0;
}

static bool refuse(const struct request *request, const char *term, const char *why)
{
    snprintf(request->text, request->size, "%s/%s/: %s", request->pmu, term, why);
    return false;
}

/* Terms of perf's that say how to sample, not what to count. */
static bool is_for_sampling(const char *term)
{
    static const char *const terms[] = {"period",  "freq",       "time",      "call-graph",
                                        "inherit", "no-inherit", "max-stack", "metric-id"};
    size_t length = strcspn(term, "=");
    for (size_t i = 0; i < sizeof terms / sizeof *terms; i++)
        if (strlen(terms[i]) == length && strncmp(term, terms[i], length) == 0)
            return true;
    return false;
}

/* "r3c": of any PMU. */
static bool place_raw(struct lauka_event *event, const char *term)
{
    char *end;
    if (term[0] != 'r' || !isxdigit((unsigned char)term[1]))
        return false;
    uint64_t config = strtoull(term + 1, &end, 16);
    if (*end)
        return false;
    event->config = config;
    return true;
}

/* Decimal unless it begins with 0x, as perf reads it. */
static bool read_value(const char *text, uint64_t *value)
{
    char *end;
    bool hexadecimal = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    *value = strtoull(text, &end, hexadecimal ? 16 : 10);
    return isdigit((unsigned char)*text) && end != text && !*end; /* no sign */
}

/* A momentary value, such as a temperature: two of them have no difference that belongs to a command. */
static bool is_snapshot(const struct request *request, const char *name)
{
    char file[PATH_SIZE], text[TEXT_SIZE];
    snprintf(file, sizeof file, "%s/events/%s.snapshot", request->pmu, name);
    return lauka_sysfs_read(request->root, file, text, sizeof text) && strcmp(text, "1") == 0;
}

/* "event=0x3c", or a name alone: an event of events/, or a flag. */
static bool place_term(const struct request *request, char *term)
{
    char file[PATH_SIZE], field[TEXT_SIZE];
    char *equals = strchr(term, '=');
    uint64_t value = 1;
    if (!equals && !request->in_event) {
        struct request inside = *request;
        inside.in_event = true;
        snprintf(file, sizeof file, "%s/events/%s", request->pmu, term);
        if (is_snapshot(request, term))
            return refuse(request, term, "a momentary value, which cannot be counted of a command");
        if (lauka_sysfs_read(request->root, file, field, sizeof field))
            return place_terms(&inside, field);
    }
    if (is_for_sampling(term) || strncmp(term, "name=", 5) == 0)
        return true;
    if (equals) {
        *equals = '\0';
        if (!read_value(equals + 1, &value))
            return refuse(request, term, "expected a number after its ="); /* "umask=?" too */
    }
    if (!*term || strchr(term, '/'))
        return refuse(request, term, "expected a name");
    if (strncmp(term, "config", 6) == 0 &&
        (!term[6] || strcmp(term + 6, "1") == 0 || strcmp(term + 6, "2") == 0)) {
        snprintf(field, sizeof field, "%.7s:0-63", term);
        return place_bits(request->event, field, value);
    }
    snprintf(file, sizeof file, "%s/format/%s", request->pmu, term);
    if (!lauka_sysfs_read(request->root, file, field, sizeof field))
        return (!equals && place_raw(request->event, term)) ||
               refuse(request, term, "the PMU has no event and no term of this name");
    return place_bits(request->event, field, value) ||
           refuse(request, term, "the value has more bits than the term");
}

/* The next comma that is not in quotes; NULL: there is none. */
static char *find_comma(char *text)
{
    bool quoted = false;
    for (; *text && (quoted || *text != ','); text++)
        quoted ^= *text == '\'';
    return *text ? text : NULL;
}

static bool place_terms(const struct request *request, const char *terms)
{
    char copy[TEXT_SIZE];
    if (strlen(terms) >= sizeof copy)
        return refuse(request, "", "too many terms");
    strcpy(copy, terms);
    for (char *at = copy, *next; at; at = next) {
        next = find_comma(at);
        if (next)
            *next++ = '\0';
        if (!place_term(request, at))
            return false;
    }
    return true;
}

bool lauka_sysfs_event(const char *root, const char *pmu, const char *terms,
                       struct lauka_event *event, char *text, size_t size)
{
    struct request request = {.root = root, .pmu = pmu, .event = event, .text = text, .size = size};
    if (!lauka_sysfs_pmu(root, pmu, &event->type)) {
        snprintf(text, size, "this machine has no PMU \"%.60s\"", pmu);
        return false;
    }
    return place_terms(&request, terms);
}

enum lauka_topdown lauka_sysfs_topdown(const char *root, const char *pmu,
                                       const struct lauka_event *event)
{
    enum { NUMBER = 0xff, UMASK = 0xff00, METRICS = 0x8000 }; /* event 0, umask from 0x80 on */
    struct lauka_event slots = {0};
    char ignored[TEXT_SIZE];
    if (!has_file(root, pmu, "events/slots") ||
        !lauka_sysfs_event(root, pmu, "slots", &slots, ignored, sizeof ignored) ||
        slots.type != event->type)
        return LAUKA_TOPDOWN_NO;
    if (slots.config == event->config)
        return LAUKA_TOPDOWN_SLOTS;
    bool metric = (event->config & NUMBER) == 0 && (event->config & UMASK) >= METRICS;
    return metric ? LAUKA_TOPDOWN_METRIC : LAUKA_TOPDOWN_NO;
}

/* The PMU's factor for counts of the event; 0: none. */
static double read_scale(const char *root, const char *pmu, const char *event)
{
    char file[PATH_SIZE], text[64], *end;
    snprintf(file, sizeof file, "%s/events/%s.scale", pmu, event);
    if (strpbrk(event, "=,/") || !lauka_sysfs_read(root, file, text, sizeof text))
        return 0;
    double scale = strtod(text, &end);
    return end != text && !*end && scale > 0 && scale < 0x1p32 ? scale : 0;
}

/* Units as PMUs write them, and what lauka shows. */
static const struct {
    const char *written, *unit;
    uint8_t decimals;
    double factor;
} units[] = {{"Joules", "J", 6, 1e6}, {"MiB", "B", 0, 0x1p20}};

void lauka_sysfs_measure(const char *root, const char *pmu, const char *name,
                         struct lauka_event *event)
{
    char file[PATH_SIZE], text[TEXT_SIZE] = "";
    event->scale = read_scale(root, pmu, name);
    snprintf(file, sizeof file, "%s/events/%s.unit", pmu, name);
    if (event->scale == 0 || !lauka_sysfs_read(root, file, text, sizeof text))
        return;
    for (size_t u = 0; u < sizeof units / sizeof *units; u++)
        if (strcmp(units[u].written, text) == 0) {
            event->unit = units[u].unit;
            event->decimals = units[u].decimals;
            event->scale *= units[u].factor;
        }
}

/* ---- powercap ---- */

static const char *const zones[][2] = {{"energy-pkg", "package"},
                                       {"energy-cores", "core"},
                                       {"energy-ram", "dram"},
                                       {"energy-psys", "psys"},
                                       {"energy-gpu", "uncore"}};

bool lauka_powercap_event(const char *root, const char *name, struct lauka_event *event)
{
    for (size_t z = 0; z < sizeof zones / sizeof *zones; z++)
        if (strcmp(zones[z][0], name) == 0 && access(root, F_OK) == 0) {
            event->type = LAUKA_TYPE_POWERCAP;
            event->config = z;
            event->unit = "J";
            event->decimals = 6; /* its files have microjoules */
            return true;
        }
    return false;
}

const char *lauka_powercap_zone(uint64_t config)
{
    return zones[config][1];
}

uint64_t lauka_event_scaled(const struct lauka_event *event, uint64_t count)
{
    enum { EXACT = 53 }; /* bits of a double */
    if (event->scale == 0 || event->scale == 1)
        return count;
    uint64_t whole = (uint64_t)event->scale;
    if ((double)whole == event->scale && count <= (UINT64_C(1) << EXACT) / whole)
        return count * whole;
    double scaled = (double)count * event->scale + 0.5;
    return scaled < 0x1p63 ? (uint64_t)scaled
                           : UINT64_MAX - 1; /* the largest stands for what is missing */
}
