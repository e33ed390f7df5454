//! Steps that test lauka.

const std = @import("std");
const Build = std.Build;
const Compile = Build.Step.Compile;

const compile = @import("compile.zig");
const liblauka = @import("library.zig");
const options = @import("options.zig");
const templates = @import("templates.zig");
const lists = @import("../files.zig");
const simulated_mac = @import("../tests/fakes/simulated_mac.zig");

/// Which tests run: `filter` selects those with it in their name, and `again` leaves out those that show
/// nothing new if lauka is compiled in another way.
pub const Choice = struct { filter: ?[]const u8, again: bool };

pub fn steps(b: *Build, built: compile.Built, choice: Choice) void {
    everything(b, built, choice);
    races(b, built);
    library(b, built.exe);
    pages(b, built.exe);
    interop(b, built);
    machine(b, built.sources);
    processors(b, built);
    documents(b, built.exe);
    anotherUser(b, built, choice);
    frameworks(b, built.exe);
    bindings(b, built.exe);
    slurm(b, built.exe);
    sanitized(b, built.measured_folder);
    faults(b, built);
    signals(b, built);
    memcheck(b, built);
    fuzz(b);
}

fn everything(b: *Build, built: compile.Built, choice: Choice) void {
    const test_step = b.step("test", "Run every test");
    const unit_step = b.step("test-unit", "Run only the unit tests; after a change of one file, this takes seconds");
    const built_for_tests = b.step("build-tests", "Build everything that the tests need, without running them");
    built_for_tests.dependOn(&built.exe.step);
    built.measured_folder.addStepDependencies(built_for_tests);
    const runnable = isRunnable(b, built.target); // otherwise they are only built
    const short = unitTestRun(b, choice.filter); // all but the command-line tests
    const units = unitTestRun(b, choice.filter);
    if (choice.filter == null) addScript(short, "tests/house.py", null);
    if (runnable and choice.filter == null and !choice.again) addScript(short, "tests/docs/run.py", built.exe);
    const runs: []const *Build.Step.Run = if (runnable) &.{ short, units } else &.{};
    unitTests(b, built, runs, built_for_tests);
    if (b.graph.host.result.os.tag == .linux and !choice.again) fakes(b, choice.filter, runs, built_for_tests);
    if (runnable) unit_step.dependOn(&units.step);
    addTest(test_step, short, built_for_tests);
    const docs_step = b.step("test-docs", "Run only what docs/ and README.md show: commands, transcripts, links");
    docs_step.dependOn(&docs(b, built).step);
    if (runnable) addTest(test_step, commandLine(b, built, choice), built_for_tests);
}

fn unitTests(b: *Build, built: compile.Built, runs: []const *Build.Step.Run, built_for_tests: *Build.Step) void {
    for (lists.tests) |t| {
        if (!compile.isFor(t, built.target)) continue;
        const test_program = compile.unitTest(b, built.checked, t);
        built_for_tests.dependOn(&test_program.step);
        for (runs) |run| addProgram(run, test_program, &.{});
        const alone = b.step(b.fmt("test-{s}", .{std.fs.path.basename(t.name)}), b.fmt("Run tests/unit/{s}.c only", .{t.name}));
        addTest(alone, b.addRunArtifact(test_program), &test_program.step);
    }
}

/// The code for macOS on a simulated Mac. It is built for this machine, whatever the target is.
fn fakes(b: *Build, filter: ?[]const u8, runs: []const *Build.Step.Run, built_for_tests: *Build.Step) void {
    const here = compile.compiledFor(b, b.graph.host, .Debug, null, .{ .csv = null, .cjson = null, .zlib = null });
    const alone_run = unitTestRun(b, filter);
    for (simulated_mac.add(b, compile.houseModule, compile.linkReport, here, compile.flagsFor(here), lists.pmu.portable ++ &lists.darwin)) |simulated| {
        built_for_tests.dependOn(&simulated.program.step);
        addProgram(alone_run, simulated.program, &simulated.libraries);
        for (runs) |run| addProgram(run, simulated.program, &simulated.libraries);
    }
    const alone = b.step("test-kperf", "Run the tests of a simulated Mac only: tests/fakes");
    alone.dependOn(&alone_run.step);
}

fn docs(b: *Build, built: compile.Built) *Build.Step.Run {
    const shown = b.addSystemCommand(&.{ "python3", "-B", "tests/docs/run.py" });
    shown.addArtifactArg(built.exe);
    return shown;
}

fn commandLine(b: *Build, built: compile.Built, choice: Choice) *Build.Step.Run {
    const cli_test = b.addSystemCommand(&.{ "python3", "-B", "tests/cli/run.py" });
    cli_test.addArtifactArg(built.exe);
    cli_test.addDirectoryArg(built.measured_folder);
    if (choice.filter) |word| cli_test.addArg(b.fmt("--filter={s}", .{word}));
    if (choice.again) cli_test.addArg("--again");
    return cli_test;
}

/// The same as another user, who sees no processes but his own and has no network.
fn anotherUser(b: *Build, built: compile.Built, choice: Choice) void {
    const user_test = b.addSystemCommand(&.{ "python3", "-B", "tests/another_user.py" });
    user_test.addArtifactArg(built.exe);
    user_test.addDirectoryArg(built.measured_folder);
    if (choice.filter) |word| user_test.addArg(b.fmt("--filter={s}", .{word}));
    if (b.args) |args| user_test.addArgs(args);
    const user_step = b.step("test-user", "Run the command-line tests as nobody, with hidepid and without network (root)");
    addTest(user_step, user_test, &built.exe.step);
}

/// Runs histograms and regions with many threads again, with every access to memory checked.
fn races(b: *Build, built: compile.Built) void {
    const races_step = b.step("test-races", "Run tests/unit/stats/histogram.c, region/region.c and liblauka/recording.c under ThreadSanitizer");
    for ([_][]const u8{ "stats/histogram", "region/region", "liblauka/recording" }) |name| {
        const wraps = std.mem.startsWith(u8, name, "liblauka");
        const watched = compile.houseModule(b, built.checked, if (wraps) &.{ lists.stats, lists.report, lists.liblauka } else &.{lists.stats});
        watched.sanitize_thread = true;
        const program = compile.testProgram(b, built.checked, watched, name);
        addTest(races_step, b.addRunArtifact(program), &program.step);
    }
}

/// Tests what is installed for other programs, in the way that they use it.
fn library(b: *Build, exe: *Compile) void {
    const library_test = b.addSystemCommand(&.{ "python3", "-B", "tests/library/run.py", b.install_path });
    library_test.addArtifactArg(exe);
    if (b.args) |args| library_test.addArgs(args);
    const library_step = b.step("test-library", "Test the installed liblauka in an empty folder (Debian: gcc, g++, clang, pkg-config)");
    addTest(library_step, library_test, b.getInstallStep());
}

fn pages(b: *Build, exe: *Compile) void {
    const page_test = b.addSystemCommand(&.{ "python3", "-B", "tests/page/run.py" });
    page_test.addArtifactArg(exe);
    const page_step = b.step("test-page", "Check pages with a browser (Debian: chromium, libxml2-utils)");
    addTest(page_step, page_test, &exe.step);
}

fn interop(b: *Build, built: compile.Built) void {
    const module = compile.linkedModule(b, built.checked, &.{ lists.stats, lists.report });
    module.addCSourceFile(.{ .file = b.path("tests/interop/interop.c"), .flags = compile.flagsFor(built.checked) });
    const interop_program = b.addExecutable(.{ .name = "interop", .root_module = module });
    compile.linkLibraries(b, built.checked, interop_program);
    const interop_test = b.addSystemCommand(&.{ "python3", "-B", "tests/interop/run.py" });
    interop_test.addArtifactArg(interop_program);
    const interop_step = b.step("test-interop", "Exchange logs with HdrHistogram for Java (needs a JDK)");
    addTest(interop_step, interop_test, &interop_program.step);
}

fn machine(b: *Build, sources: compile.Sources) void {
    const vm_step = b.step("test-vm", "Test counting on a real PMU, in an emulated machine (Debian)");
    const vm_test = b.addSystemCommand(&.{ "python3", "-B", "tests/vm/run.py" });
    vm_test.addDirectoryArg(machinePrograms(b, sources));
    if (b.args) |args| vm_test.addArgs(args);
    vm_test.stdio = .inherit;
    vm_test.setCwd(b.path("."));
    vm_step.dependOn(&vm_test.step);
}

fn processors(b: *Build, built: compile.Built) void {
    const perf_step = b.step("test-perf", "Check what lauka asks the kernel to count on other processors (root; Debian: linux-perf)");
    const perf_test = b.addSystemCommand(&.{ "python3", "-B", "tests/perf/run.py" });
    perf_test.addArtifactArg(built.exe);
    perf_test.addFileArg(compile.supervisor(b, built.sources));
    perf_test.addArtifactArg(preloaded(b, built.how, "tests/faults/failing_malloc.c"));
    if (b.args) |args| perf_test.addArgs(args);
    addTest(perf_step, perf_test, &built.exe.step);
}

fn documents(b: *Build, exe: *Compile) void {
    const documents_step = b.step("test-documents", "Check lauka's documents with the programs that read them (Debian: jq, cmark-gfm, python3-jsonschema)");
    const documents_test = b.addSystemCommand(&.{ "python3", "-B", "tests/documents/run.py" });
    documents_test.addArtifactArg(exe);
    addTest(documents_step, documents_test, &exe.step);
}

fn frameworks(b: *Build, exe: *Compile) void {
    const frameworks_step = b.step("test-frameworks", "Compare real benchmarks with lauka suite, for frameworks whose toolchain is installed");
    const frameworks_test = b.addSystemCommand(&.{ "python3", "-B", "tests/frameworks/run.py" });
    frameworks_test.addArtifactArg(exe);
    if (b.args) |args| frameworks_test.addArgs(args);
    addTest(frameworks_step, frameworks_test, &exe.step);
}

fn bindings(b: *Build, exe: *Compile) void {
    const bindings_step = b.step("test-bindings", "Test the bindings of other languages, those whose toolchain is installed");
    const bindings_test = b.addSystemCommand(&.{ "python3", "-B", "tests/bindings/run.py" });
    bindings_test.addArtifactArg(exe);
    if (b.args) |args| bindings_test.addArgs(args);
    addTest(bindings_step, bindings_test, &exe.step);
}

fn slurm(b: *Build, exe: *Compile) void {
    const slurm_step = b.step("test-slurm", "Run and merge a session on a real Slurm of three virtual nodes (Debian: slurm-wlm, munge)");
    const slurm_test = b.addSystemCommand(&.{ "python3", "-B", "tests/slurm/run.py" });
    slurm_test.addArtifactArg(exe);
    addTest(slurm_step, slurm_test, &exe.step);
}

fn sanitized(b: *Build, measured_folder: Build.LazyPath) void {
    const sanitized_step = b.step("test-sanitized", "Run every test under ASan and UBSan (clang)");
    const run = clangScript(b, "tests/sanitized.py");
    run.addDirectoryArg(measured_folder);
    for (lists.tests) |t| run.addArg(b.fmt("--test={s}", .{t.name}));
    for ([_][]const []const u8{ lists.pmu.portable, &lists.darwin }) |files|
        for (files) |file| run.addArg(b.fmt("--mac-source={s}", .{file}));
    for (simulated_mac.subjects) |subject| run.addArg(b.fmt("--mac-test={s}:{s}:{s}", .{
        subject.name,
        std.mem.join(b.allocator, ",", subject.redirected) catch @panic("OOM"),
        std.mem.join(b.allocator, ",", subject.runner) catch @panic("OOM"),
    }));
    sanitized_step.dependOn(&run.step);
}

fn faults(b: *Build, built: compile.Built) void {
    const faults_step = b.step("test-faults", "Make memory, system calls and limits fail (Debian: strace)");
    const run = b.addSystemCommand(&.{ "python3", "-B", "tests/faults/run.py" });
    run.addArtifactArg(built.exe);
    run.addArtifactArg(compile.staticLauka(b, built.sources, .ReleaseSafe));
    run.addDirectoryArg(built.measured_folder);
    for ([_][]const u8{ "tests/faults/failing_malloc.c", "tests/faults/stepping_clock.c" }) |file|
        run.addArtifactArg(preloaded(b, built.how, file));
    if (b.args) |args| run.addArgs(args);
    addTest(faults_step, run, &built.exe.step);
}

fn signals(b: *Build, built: compile.Built) void {
    const signals_step = b.step("test-signals", "End 1,000 sessions by random signals (root, or user namespaces)");
    const run = b.addSystemCommand(&.{ "python3", "-B", "tests/signals/run.py" });
    run.addArtifactArg(built.exe);
    if (b.args) |args| run.addArgs(args);
    addTest(signals_step, run, &built.exe.step);
}

fn memcheck(b: *Build, built: compile.Built) void {
    // Valgrind does not know this machine's newest instructions.
    const simple = compile.compiledFor(b, b.resolveTargetQuery(.{ .cpu_model = .baseline }), .Debug, null, built.sources);
    const memcheck_step = b.step("test-memcheck", "Run command-line tests under memcheck (Debian: valgrind)");
    const run = b.addSystemCommand(&.{ "python3", "-B", "tests/memcheck.py" });
    run.addArtifactArg(compile.laukaAlone(b, simple));
    run.addDirectoryArg(built.measured_folder);
    if (b.args) |args| run.addArgs(args);
    addTest(memcheck_step, run, &built.exe.step);
}

fn fuzz(b: *Build) void {
    const fuzz_step = b.step("fuzz", "Fuzz every parser, three seconds each; -- --help says more (clang)");
    const run = clangScript(b, "tests/fuzz/run.py");
    if (b.args) |args| run.addArgs(args);
    fuzz_step.dependOn(&run.step);
}

/// The programs that run in the machine of tests/vm: static arm64 programs.
fn machinePrograms(b: *Build, sources: compile.Sources) Build.LazyPath {
    const query = Build.parseTargetQuery(.{ .arch_os_abi = "aarch64-linux-musl" }) catch unreachable;
    const how = compile.compiledFor(b, b.resolveTargetQuery(query), .ReleaseSmall, null, sources);
    const directory = b.addWriteFiles();
    const put = struct {
        fn put(to: *Build.Step.WriteFile, program: *Compile) void {
            _ = to.addCopyFile(program.getEmittedBin(), program.name);
        }
    }.put;
    put(directory, compile.lauka(b, how));
    for ([_][]const u8{ "loop", "crowd", "refusing", "holding", "memory", "regions", "inner" }) |name|
        put(directory, compile.standalone(b, how, name, b.fmt("tests/vm/{s}.c", .{name})));
    put(directory, compile.standalone(b, how, "sorted", "examples/own/sorted.c"));
    const tails = compile.standalone(b, how, "tails", "examples/own/tails.c");
    tails.root_module.addObjectFile(liblauka.add(b, how.target, sources).static);
    put(directory, tails);
    for (lists.tests) |t| if (std.mem.eql(u8, t.name, "pmu/counters") or std.mem.eql(u8, t.name, "pmu/events") or std.mem.eql(u8, t.name, "pmu/topology"))
        put(directory, compile.unitTest(b, how, t));
    return directory.getDirectory();
}

/// A script that compiles lauka with clang, for tools that Zig lacks. It gets each file as --source=FILE.
fn clangScript(b: *Build, script: []const u8) *Build.Step.Run {
    const run = b.addSystemCommand(&.{ "python3", "-B", script });
    for (compile.house) |folder| for ([_][]const []const u8{ folder.portable, folder.linux }) |files|
        for (files) |file| run.addArg(b.fmt("--source={s}", .{file}));
    run.addPrefixedFileArg("--source=", options.source(b));
    run.addPrefixedFileArg("--source=", templates.source(b));
    run.addPrefixedDirectoryArg("--include=", options.folder(b));
    run.stdio = .inherit;
    run.setCwd(b.path("."));
    return run;
}

/// A shared library for LD_PRELOAD.
fn preloaded(b: *Build, how: compile.How, file: []const u8) *Compile {
    const module = b.createModule(.{ .target = how.target, .optimize = .ReleaseSmall, .link_libc = true });
    module.addCMacro("_GNU_SOURCE", "1");
    module.addCSourceFile(.{ .file = b.path(file), .flags = &compile.c_flags });
    return b.addLibrary(.{ .name = std.fs.path.stem(file), .linkage = .dynamic, .root_module = module });
}

/// Whether programs of the target can be executed here.
fn isRunnable(b: *Build, target: Build.ResolvedTarget) bool {
    const host = b.graph.host.result;
    return target.result.os.tag == host.os.tag and target.result.cpu.arch == host.cpu.arch;
}

/// Runs the programs of unit tests, several at once.
fn unitTestRun(b: *Build, filter: ?[]const u8) *Build.Step.Run {
    const run = b.addSystemCommand(&.{ "python3", "-B", "tests/units.py" });
    if (filter) |word| run.setEnvironmentVariable("LAUKA_TEST_FILTER", word);
    run.stdio = .inherit;
    run.setCwd(b.path("."));
    return run;
}

fn addProgram(run: *Build.Step.Run, program: *Compile, arguments: []const *Compile) void {
    run.addArtifactArg(program);
    for (arguments) |argument| run.addArtifactArg(argument);
    run.addArg("--");
}

/// The script runs like a program of unit tests. `exe` is its argument.
fn addScript(run: *Build.Step.Run, script: []const u8, exe: ?*Compile) void {
    run.addArgs(&.{ "python3", "-B", script });
    if (exe) |program| run.addArtifactArg(program);
    run.addArg("--");
}

/// The test always runs, from the root, one at a time, with visible output, after everything has been
/// compiled.
fn addTest(step: *Build.Step, run: *Build.Step.Run, after: *Build.Step) void {
    const b = step.owner;
    run.stdio = .inherit;
    run.setCwd(b.path("."));
    run.failing_to_execute_foreign_is_an_error = false; // for cross targets, tests are built but not run
    run.step.dependOn(after);
    step.dependOn(&run.step);
}
