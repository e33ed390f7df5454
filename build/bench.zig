//! Steps that measure lauka itself, with the programs of tests/bench.

const std = @import("std");
const Build = std.Build;
const Compile = Build.Step.Compile;

const compile = @import("compile.zig");
const library = @import("library.zig");
const lists = @import("../files.zig");

pub fn steps(b: *Build, built: compile.Built) void {
    const all_step = b.step("bench-compile", "Compile the programs that measure lauka, without running them");
    programs(b, built, all_step);
    scripts(b, built.exe);
    calibration(b, built);
    eventTables(b, built);
}

/// A step for every program of tests/bench, and one that runs all in turn.
fn programs(b: *Build, built: compile.Built, all_step: *Build.Step) void {
    const measured = built.measured;
    const bench_step = b.step("bench", "Measure lauka itself: every program of tests/bench, optimised");
    var previous: ?*Build.Step = null;
    for (lists.benchmarks) |t| {
        const module = compile.linkedModule(b, measured, t.folders);
        module.addCSourceFile(.{ .file = b.path(b.fmt("tests/bench/{s}.c", .{t.name})), .flags = compile.flagsFor(measured) });
        const benchmark = b.addExecutable(.{ .name = b.fmt("bench_{s}", .{t.name}), .root_module = module });
        compile.seeLibraries(b, measured, benchmark);
        compile.linkLibraries(b, measured, benchmark);
        if (std.mem.eql(u8, t.name, "histogram"))
            module.addCSourceFile(.{ .file = b.path("tests/bench/equal_work.c"), .flags = compile.flagsFor(measured) });
        if (std.mem.eql(u8, t.name, "library"))
            module.linkLibrary(library.add(b, built.target, built.sources).shared); // the library that it wraps
        if (b.graph.environ_map.get("LAUKA_HDRHISTOGRAM_SRC")) |directory|
            seeHdrHistogram(b, measured, benchmark, directory);
        all_step.dependOn(&benchmark.step);
        const alone = b.step(b.fmt("bench-{s}", .{t.name}), b.fmt("Run tests/bench/{s}.c only", .{t.name}));
        for ([_]*Build.Step{ bench_step, alone }) |step| {
            const bench_run = b.addRunArtifact(benchmark);
            if (std.mem.eql(u8, t.name, "runs") or std.mem.eql(u8, t.name, "footprint"))
                bench_run.addArtifactArg(compile.staticLauka(b, built.sources, .ReleaseSmall)); // compiled as in a release
            if (std.mem.eql(u8, t.name, "runs"))
                bench_run.addArtifactArg(emptyProgram(b, built));
            bench_run.stdio = .inherit;
            step.dependOn(&bench_run.step);
            if (step == alone) {
                if (b.args) |args| bench_run.addArgs(args); // of one program: others would take them for something else
                continue;
            }
            if (previous) |run_before| bench_run.step.dependOn(run_before); // one at a time
            previous = &bench_run.step;
        }
    }
}

/// A static program that only exits, compiled as in a release, because lauka also reads the rest of the
/// file.
fn emptyProgram(b: *Build, built: compile.Built) *Compile {
    const small: compile.How = .{ .target = compile.staticTarget(b, built.target), .optimize = .ReleaseSmall, .strip = true };
    return compile.standalone(b, small, "empty", "tests/cli/programs/empty.c");
}

fn scripts(b: *Build, exe: *Compile) void {
    for ([_][]const u8{ "allocations", "confirm", "keep", "levels", "many", "merge_jobs", "programs", "public", "revisions", "services", "sqlite", "suite", "why" }) |name| {
        const script = b.addSystemCommand(&.{ "python3", "-B", b.fmt("tests/bench/{s}.py", .{name}) });
        script.addArtifactArg(exe);
        script.stdio = .inherit;
        if (b.args) |args| script.addArgs(args);
        const step = b.step(b.fmt("bench-{s}", .{name}), b.fmt("Run tests/bench/{s}.py only: it takes minutes", .{name}));
        step.dependOn(&script.step);
    }
}

/// Needs a vendor's tables and perf, which whoever runs it brings: -- TABLES CPUID [TREE].
fn eventTables(b: *Build, built: compile.Built) void {
    const script = b.addSystemCommand(&.{ "python3", "-B", "tests/bench/event_tables.py" });
    script.addArtifactArg(built.exe);
    script.addFileArg(compile.supervisor(b, built.sources));
    script.stdio = .inherit;
    if (b.args) |args| script.addArgs(args);
    const step = b.step("bench-event-tables", "Encode every name of a vendor's table as perf does; -- TABLES CPUID [TREE] (root; Debian: linux-perf)");
    step.dependOn(&script.step);
}

fn calibration(b: *Build, built: compile.Built) void {
    const calibrate = b.addSystemCommand(&.{ "python3", "-B", "tests/bench/calibrate/calibrate.py" });
    calibrate.addArtifactArg(built.exe);
    calibrate.addDirectoryArg(compile.programFolder(b, built.target, "tests/bench/calibrate", &lists.calibration_programs));
    calibrate.stdio = .inherit;
    if (b.args) |args| calibrate.addArgs(args);
    const calibrate_step = b.step("calibrate", "Does lauka keep its statistical promises here? Takes an hour");
    calibrate_step.dependOn(&calibrate.step);
}

/// Adds HdrHistogram_c from an external source tree, which tests/bench/equal_work.c includes.
fn seeHdrHistogram(b: *Build, how: compile.How, benchmark: *Compile, directory: []const u8) void {
    const source: Build.LazyPath = .{ .cwd_relative = directory };
    const module = benchmark.root_module;
    // Today's trees have src/ and include/hdr/; those from before 2022 are flat.
    const flat = if (std.Io.Dir.cwd().access(b.graph.io, b.pathJoin(&.{ directory, "hdr_histogram.c" }), .{})) true else |_| false;
    if (flat) module.addIncludePath(source) else for ([_][]const u8{ "src", "include", "include/hdr" }) |folder|
        module.addIncludePath(source.path(b, folder));
    // It asks the compiler's library for these facts at run time, which Zig's library does not provide.
    const cpu = how.target.result.cpu;
    const avx2 = cpu.arch == .x86_64 and std.Target.x86.featureSetHas(cpu.features, .avx2);
    module.addCMacro("__builtin_cpu_supports(feature)", if (avx2) "1" else "0");
    module.addCMacro("LAUKA_BENCH_HDR", "1");
}
