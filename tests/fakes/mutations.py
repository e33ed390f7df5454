#!/usr/bin/env python3
"""Do the tests of macOS notice mistakes? Each mutation is a plausible mistake. Applied to a copy of the
project, it must make a test fail.

    python3 tests/fakes/mutations.py              all of them: minutes
    python3 tests/fakes/mutations.py --random     one, chosen at random: for CI
    python3 tests/fakes/mutations.py NAME...      these
"""
import os
import random
import shutil
import subprocess
import sys
import tempfile

# Name -> [(file, the correct text, the mistake)].
MUTATIONS = {
    "values are read by slot, not by map": [
        ("pmu/macos/kpep.c", "set->value_of[order->events[k]] = map[k];",
         "set->value_of[order->events[k]] = k;")],
    "last sample minus first": [
        ("pmu/macos/kdebug.c", "    memcpy(thread->counts, thread->partial, sizeof thread->counts);\n",
         "    for (size_t i = 0; i < LAUKA_KD_COUNTERS_MAX; i++)\n        thread->counts[i] = "
         "thread->sampled ? thread->partial[i] - thread->counts[i] : 0;\n")],
    "one record without an END is dropped": [
        ("pmu/macos/kdebug.c", "records == 1 ? function == LAUKA_KD_START : function == LAUKA_KD_END",
         "function == LAUKA_KD_END")],
    "thread ids of 32 bits": [
        ("pmu/macos/kdebug.c", "    struct lauka_kd_thread *thread = find(run, id);\n    if (thread ||",
         "    id = (uint32_t)id;\n    struct lauka_kd_thread *thread = find(run, id);\n    if (thread ||")],
    "ticks taken for nanoseconds": [
        ("pmu/macos/darwin_usage.c", "(uint128)ticks * numerator / (denominator ? denominator : 1)",
         "(uint128)ticks + 0 * numerator + 0 * denominator")],
    "counters not forced": [
        ("pmu/macos/kperf.c", "    return session->api->kpc_force_all_ctrs_set(1);", "    (void)session;\n    return 0;")],
    "events added in the user's order": [
        ("pmu/macos/kpep.c", "            if (slots[i] != slot)\n",
         "            if (slots[i] < LAUKA_APPLE_FIXED || slot != LAUKA_APPLE_FIXED + (int)i)\n")],
    "lightweight PET forgotten": [
        ("pmu/macos/kperf.c", '        set_number("kperf.lightweight_pet", 1) != 0)', "        false)")],
    "LOST records ignored": [
        ("pmu/macos/kdebug.c", "        run->lost = true;\n    else if", "        return;\n    else if")],
    "the mark of a wrapped trace ignored": [
        ("pmu/macos/kperf.c", "        *lost = true;", "        *lost = false;"),
        ("pmu/macos/kdebug.c", "        run->lost = true;\n    else if", "        return;\n    else if")],
    "samples put together by CPU": [
        ("pmu/macos/kdebug.c", "    struct lauka_kd_thread *thread = enter(run, record->thread);\n"
                         "    uint32_t function",
         "    struct lauka_kd_thread *thread = enter(run, record->cpu + 1);\n    uint32_t function")],
    "arguments of other records summed": [
        ("pmu/macos/kdebug.c", "    else if (kind == LAUKA_KD_KIND_SAMPLE)",
         "    else if (kind == LAUKA_KD_KIND_SAMPLE || kind == LAUKA_KD_KIND_OTHER)")],
    "reaped before the account is read": [
        ("runner/launch/macos/process.c", "    if (counted)\n        lauka_counters_stop(process->counters, pid);\n", ""),
        ("runner/launch/macos/process.c", "    end->run_delay_ns = LAUKA_UNKNOWN;\n",
         "    end->run_delay_ns = LAUKA_UNKNOWN;\n    if (counted)\n"
         "        lauka_counters_stop(process->counters, pid);\n")],
    "the command continued before it is counted": [
        ("runner/launch/macos/process.c", "    if (counted)\n        lauka_counters_start(process->counters, pid);\n", ""),
        ("runner/launch/macos/process.c", "    lauka_signal_process(pid, SIGCONT);\n    if (counted)\n",
         "    lauka_signal_process(pid, SIGCONT);\n    if (counted)\n        lauka_counters_start(process->counters, pid);\n    if (counted)\n")],
    "an interrupted wait believed": [
        ("runner/base/processes.c", "    while (failed && errno == EINTR);\n", "    while (false);\n")],
    "an interrupted watch given up": [
        ("runner/launch/macos/process.c", "        if (count < 0 && errno == EINTR)\n            count = 0;\n", "")],
    "the start stamped before the counters are set": [
        ("runner/launch/macos/process.c", "    *process->started_ns = lauka_now_ns();\n", ""),
        ("runner/launch/macos/process.c", "    *process->pid = pid;\n    if (process->nice_value)\n",
         "    *process->pid = pid;\n    *process->started_ns = lauka_now_ns();\n    if (process->nice_value)\n")],
    "root not given up": [
        ("runner/launch/macos/process.c", "lauka_identity_assume(process->identity, &lauka_identity_system)", "0")],
    "the launcher ends and leaves all set": [
        ("runner/launch/serving.c", "    lauka_counters_close(&serving->shared->counters); /* nothing stays set in the kernel */\n", "")],
    "threads of others counted": [
        ("pmu/macos/kdebug.c", "    if (run->process && thread->process == run->process)\n        return true;",
         "    if (run->process)\n        return true;")],
    "left-over arguments counted": [
        ("pmu/macos/kdebug.c", "(left < VALUES ? left : VALUES) * sizeof", "(left ? VALUES : 0) * sizeof"),
        ("pmu/macos/kdebug.c", "        for (size_t c = 0; c < run->counter_count; c++) {",
         "        for (size_t c = 0; c < LAUKA_KD_COUNTERS_MAX; c++) {")],
    "the trace set up for every run": [
        ("pmu/macos/kperf.c", "    int result = trace_control(LAUKA_KDENABLE, on, NULL, NULL);\n",
         "    if (on) {\n        trace_control(LAUKA_KDREMOVE, 0, NULL, NULL);\n"
         "        trace_control(LAUKA_KDSETUP, 0, NULL, NULL);\n        choose_records(session);\n    }\n"
         "    int result = trace_control(LAUKA_KDENABLE, on, NULL, NULL);\n")],
    "threads without an end believed": [
        ("pmu/macos/darwin_counters.c", "own.total.unfinished > 0 && !sampling", "false")],
    "pids taken for processes": [
        ("pmu/macos/kdebug.c", "    thread->process = record->arguments[3];\n    thread->creator",
         "    thread->process = record->arguments[1];\n    thread->creator"),
        ("pmu/macos/kdebug.c", "    thread->process = record->arguments[1];\n    thread->ended",
         "    thread->process = record->arguments[0];\n    thread->ended"),
        ("pmu/macos/kdebug.c", "        run->process = unique;", "        run->process = (uint64_t)run->pid + 0 * unique;")],
    "the counters left running": [
        ("pmu/macos/kperf.c", "{\"start the counters\", count, stop_counting}", "{\"start the counters\", count, NULL}"),
        ("pmu/macos/kperf.c", "kpc_set_counting(0)", "kpc_set_counting(session->made ? 0 : 0)")],
    "not compared with the kernel's account": [
        ("pmu/macos/darwin_counters.c", "accounted == 0 || agrees_with_usage(ENDS)",
         "accounted == 0 || agrees_with_usage(ENDS) || counters")],
    "what somebody else changed believed": [
        ("pmu/macos/darwin_counters.c", "    else if (change == LAUKA_KPC_EVENTS_CHANGED)\n        own.kept = FIXED_ONLY;\n",
         "")],
    "what somebody else changed left so": [
        ("pmu/macos/kperf.c", "!session->stale && memcmp", "memcmp")],
    "all counters wanted of the fixed events": [
        ("pmu/macos/kperf.c", "(set->placed == 0 || set->word_count == session->configs)",
         "set->word_count == session->configs")],
    "the kernel taken at the words that were written": [
        ("pmu/macos/kperf.c", "memcmp(now.words, then->words, sizeof now.words)",
         "memcmp(now.words, session->words, sizeof now.words)")],
    "fewer counters than the library counts on": [
        ("pmu/macos/kperf.c", "                suits(session, session->wanted);", "                true;")],
    "ten counters, whatever the chip": [
        ("pmu/macos/darwin_counters.c", "lauka_kd_begin(&own.run, pid, own.session.counters,",
         "lauka_kd_begin(&own.run, pid, 10,")],
    "what was before exec counted": [
        ("pmu/macos/kdebug.c", "thread->stranger = known && run->process",
         "thread->stranger = false && known && run->process")],
    "only expected threads counted, though the list was empty": [
        ("pmu/macos/kdebug.c", "    bool known = knows_expected(run);", "    bool known = true || knows_expected(run);")],
    "what exec replaced waited for": [
        ("pmu/macos/kdebug.c", "total->unfinished += !thread->whole && !thread->replaced;",
         "total->unfinished += !thread->whole;")],
    "one refused event taken for all": [
        ("pmu/macos/darwin_counters.c", "(error != EPERM || is_refused(counters, i))",
         "(error != EPERM || is_refused(counters, i) || counters)")],
    "a disagreement told with nothing marked": [
        ("pmu/macos/darwin_counters.c", "    if (own.missed_ns == 0 && !own.doubtful)", "    if (own.missed_ns == 0)")],
    "levels by their position": [
        ("pmu/macos/native.c", "toupper((unsigned char)*type->pmu));\n    for", "\"PELX\"[level]);\n    for")],
    "the first of a chip's tables taken": [
        ("pmu/macos/kpep.c", "best = unknown < least ? &chips[i] : best;", "best = unknown > SIZE_MAX / 2 ? &chips[i] : best;")],
    "Rosetta's clock taken for the kernel's": [
        ("pmu/macos/darwin_usage.c", "lauka_darwin_is_translated() ? lauka_darwin_number(\"hw.tbfrequency\") : 0",
         "0 * lauka_darwin_number(\"hw.tbfrequency\")")],
    "everybody sent for sudo": [
        ("pmu/macos/darwin_counters.c", "    if (!is_apple_silicon())", "    if (!is_apple_silicon() && !counters)")],
    "a filter that programs cannot see": [
        ("pmu/macos/kperf.c", "    if (session->way == LAUKA_TRACE_BY_VALUE)", "    if (session->way != LAUKA_TRACE_WAYS)")],
    "read until nothing comes, although more comes": [
        ("pmu/macos/darwin_counters.c", "        if (own.session.tracing && count > 0 &&", "        if (false && count > 0 &&")],
    "read until nothing comes, where that is logged": [
        ("pmu/macos/darwin_counters.c", "        more = own.fills ? count == RECORDS : count > 0;", "        more = count > 0;")],
    "each record read by itself, after 2 MiB": [
        ("pmu/macos/kperf.c", "session->traced + of_run < QUICK_RECORDS", "(session->traced + of_run < QUICK_RECORDS || of_run < SIZE_MAX)")],
    "what a killed session has set left so": [
        ("pmu/macos/kperf.c", '    {"claim the trace", reset, reset},', '    {"claim the trace", look_before, reset},')],
    "the counters taken that another program has": [
        ("pmu/macos/kperf.c", "        taken && lauka_darwin_number(", "        false && lauka_darwin_number(")],
    "the counters taken before the trace": [
        ("pmu/macos/kperf.c", '    {"claim the trace", reset, reset},', '    {"take over all counters", force, unforce},'),
        ("pmu/macos/kperf.c", '    {"take over all counters", force, unforce},\n    {"stop', '    {"claim the trace", reset, reset},\n    {"stop')],
    "coprocessors woken": [
        ("pmu/macos/kperf.c", "    return session->way == LAUKA_TRACE_WAKES_COPROCESSORS", "    return session->way != LAUKA_TRACE_WAYS")],
    "EXEC taken for a process": [
        ("pmu/macos/kdebug.c", "    else if (kind == LAUKA_KD_KIND_NEW)\n",
         "    else if (kind == LAUKA_KD_KIND_EXEC)\n        note_process(run, values[0], values[1]);\n"
         "    else if (kind == LAUKA_KD_KIND_NEW)\n")],
    "sets turned when the command exists": [
        ("runner/launch/macos/process.c", "    if (counted)\n        lauka_counters_turn(process->counters);\n", ""),
        ("runner/launch/macos/process.c", "    if (counted)\n        lauka_counters_start(process->counters, pid);\n",
         "    if (counted)\n        lauka_counters_turn(process->counters);\n    if (counted)\n        lauka_counters_start(process->counters, pid);\n")],
    "counts that went backwards believed": [
        ("pmu/macos/kdebug.c", "    if (most == 0 || most > absurd)", "    if (most == 0)")],
    "the resolution of another clock": [
        ("runner/base/macos/clock.c", "mach_timebase_info(&tick) == 0 && tick.denom ?", "mach_timebase_info(&tick) != 0 && tick.denom ?")],
    "a directory service asked in each run": [
        ("runner/command/identity.c", "return identity_groups_set ? 0 : initgroups(", "return initgroups(")],
    "the work of efficiency cores found fine": [
        ("runner/machine/macos/findings.c", "background ? LAUKA_WEIGHT_MATTERS", "background > 1 ? LAUKA_WEIGHT_MATTERS")],
    "counters that are on found fine": [
        ("runner/machine/macos/findings.c", "counting ? LAUKA_WEIGHT_MINOR", "counting > 3 ? LAUKA_WEIGHT_MINOR")],
    "a trace that is on found fine": [
        ("runner/machine/macos/findings.c", "state == 0 ? LAUKA_WEIGHT_FINE", "state <= 1 ? LAUKA_WEIGHT_FINE")],
    "the last record shown for the first": [
        ("pmu/macos/kdebug.c", "    if (run->kinds[kind]++ == 0)\n", "    run->kinds[kind]++;\n    if (kind == LAUKA_KD_KIND_EXEC)\n")],
    "the ways of tracing all the same": [
        ("pmu/macos/darwin_counters.c", "lauka_kperf_refresh(&own.session, counters->trace_way)",
         "lauka_kperf_refresh(&own.session, LAUKA_TRACE_QUIETLY)")],
    "events of a region placed as they come": [
        ("include/lauka_region.h", "failed == (int)order->count || tries == order->count)",
         "failed == (int)order->count || tries == 0)")],
    "one event of a region refused, and all lost": [
        ("include/lauka_region.h", "    if (*why == EPERM) {", "    if (*why == EPERM && !region->count) {")],
    "a region's failure left half-way": [
        ("include/lauka_region.h", "    (void)kperf->threads(0);\n    (void)kperf->count(0);\n", "")],
    "a region takes counters that another program has": [
        ("include/lauka_region.h", "    *why = lauka_region_kpc_taken(&kperf) ? EBUSY : ", "    *why = ")],
    "the first region closed turns the other off": [
        ("include/lauka_region.h", "    (void)__atomic_sub_fetch(&lauka_region_kpc_users, 1, __ATOMIC_RELAXED);\n",
         "    __atomic_store_n(&lauka_region_kpc_users, 0, __ATOMIC_RELAXED);\n")],
}


def apply(root, changes):
    for path, old, new in changes:
        name = os.path.join(root, path)
        with open(name) as file:
            text = file.read()
        assert text.count(old) == 1, f"{path} contains this {text.count(old)} times: {old}"
        text = text.replace(old, new)
        with open(name, "w") as file:
            file.write(text)


def is_red(root):
    """Returns the test of the simulated Mac that fails, if any."""
    done = subprocess.run(["./zigw", "build", "test-kperf"], cwd=root, capture_output=True, text=True,
                          errors="replace", stdin=subprocess.DEVNULL)
    text = done.stdout + done.stderr
    red = [line for line in text.splitlines() if line.startswith("FAILED ")]
    programs = ("kperf", "mac_refusals", "mac_probe", "kdebug", "mac_process", "mac_machine", "region_mac", "micro_mac")
    reports = sum(f"\n{program}: " in f"\n{text}" for program in programs)
    if "compilation errors" in text:
        sys.exit("it does not compile:\n" + text[:2000])
    if red:
        return red[0][7:]
    return None if reports == len(programs) and done.returncode == 0 else "(the test crashed)"


def main(arguments):
    names = arguments or list(MUTATIONS)
    if arguments == ["--random"]:
        names = [random.choice(list(MUTATIONS))]
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        root = os.path.join(scratch, "lauka")
        files = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True)
        for path in filter(os.path.exists, files.stdout.split("\0")):
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            shutil.copy2(path, os.path.join(root, path))
        for name in names:
            touched = sorted({path for path, _, _ in MUTATIONS[name]})
            apply(root, MUTATIONS[name])
            red = is_red(root)
            for path in touched:
                shutil.copy2(path, os.path.join(root, path))
            passed, failed = passed + bool(red), failed + (not red)
            print(f"{'red' if red else 'NOT NOTICED'}: {name}" + (f" -> {red}" if red else ""), flush=True)
    print(f"mutations: {passed} passed, {failed} failed")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
