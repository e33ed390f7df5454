//! Artifacts first, steps last: what `zig build` offers is read at the bottom of `build`.
//! What is compiled is listed in files.zig.

const std = @import("std");
const Build = std.Build;
const Compile = Build.Step.Compile;

/// What `lauka --json` writes, for those who read it.
const schema = "schema/lauka-result.schema.json";

const simulated_mac = @import("tests/fakes/simulated_mac.zig");
const version = @import("build.zig.zon").version;

const lists = @import("files.zig");
const darwin = lists.darwin; // what tests/fakes stands in for
const Folder = lists.Folder;
const stats = lists.stats;
const pmu = lists.pmu;
const report = lists.report;
const runner = lists.runner;
const Test = lists.Test;
const tests = lists.tests;
const examples = lists.examples;
const measured_programs = lists.measured_programs;
const calibration_programs = lists.calibration_programs;
const benchmarks = lists.benchmarks;

const check_targets = [_][]const u8{
    "aarch64-macos", "x86_64-macos", "aarch64-linux-musl", "x86_64-linux-musl",
};
/// Its headers deprecate what older systems need: lauka itself has to compile with them, too.
const newest_macos = "aarch64-macos.26.0";

const c_flags = [_][]const u8{
    "-std=c17",            "-Wall",                "-Wextra", "-Wpedantic",      "-Wshadow", "-Wconversion",
    "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla",   "-Wwrite-strings", "-Werror",
    // a * b + c * d, fused, has other bits than c * d + a * b: swapped commands must mirror exactly.
     "-ffp-contract=off",
};

/// What is common to all that is compiled for one machine in one mode.
const How = struct {
    target: Build.ResolvedTarget,
    optimize: std.builtin.OptimizeMode,
    strip: bool,
    libraries: []const Library = &.{},
    folders: []const *Compile = &.{}, // each folder's archive, by its name
};

/// A library of others, and where it comes from.
const Library = struct {
    name: []const u8,
    origin: union(enum) { system, compiled: *Compile, missing: *Build.Step.Fail },
};

/// The source trees of -Dcsv-src, -Dcjson-src and -Dzlib-src.
const Sources = struct { csv: ?[]const u8, cjson: ?[]const u8, zlib: ?[]const u8 };

pub fn build(b: *Build) void {
    const target = b.standardTargetOptions(.{});
    // Whoever types `zig build run` measures: lauka is optimised unless asked otherwise, yet keeps
    // its assertions and traps undefined behaviour; what that costs lies outside the measured
    // window. The unit tests are Debug, where the sanitizer says what is undefined and where.
    const mode = b.option(std.builtin.OptimizeMode, "optimize", "Debug, ReleaseSafe (default; tests: Debug), ReleaseFast or ReleaseSmall");
    const filter = b.option([]const u8, "filter", "Of unit and command-line tests, only those with this in their name");
    const again = b.option(bool, "again", "Leave out tests that tell nothing new of lauka compiled another way") orelse false;
    const strip = b.option(bool, "strip", "Leave debug information out (default: in ReleaseSmall)");
    const sources: Sources = .{
        .csv = b.option([]const u8, "csv-src", "Compile libcsv from this source tree"),
        .cjson = b.option([]const u8, "cjson-src", "Compile cJSON from this source tree"),
        .zlib = b.option([]const u8, "zlib-src", "Compile zlib from this source tree"),
    };
    const how = compiledFor(b, target, mode orelse .ReleaseSafe, strip, sources);
    const checked = compiledFor(b, target, mode orelse .Debug, strip, sources);
    const measured = compiledFor(b, target, .ReleaseFast, strip, sources);

    const exe = lauka(b, how);

    const run = b.addRunArtifact(exe);
    run.stdio = .inherit;
    if (b.args) |args| run.addArgs(args);

    var example_programs: [examples.len]*Compile = undefined;
    for (&example_programs, examples) |*example, name|
        example.* = standalone(b, measured, name, b.fmt("examples/{s}.c", .{name}));

    var test_programs: [tests.len]*Compile = undefined;
    for (&test_programs, tests) |*test_program, t|
        test_program.* = unitTest(b, checked, t);

    // Histograms with many threads once more, where every access to memory is watched.
    const watched = houseModule(b, checked, &.{stats});
    watched.sanitize_thread = true;
    const races = testProgram(b, checked, watched, "stats/histogram");

    const interop = linkedModule(b, checked, &.{ stats, report });
    interop.addCSourceFile(.{ .file = b.path("tests/interop/interop.c"), .flags = flagsFor(checked) });
    const interop_program = b.addExecutable(.{ .name = "interop", .root_module = interop });
    linkLibraries(b, checked, interop_program);
    const page_test = b.addSystemCommand(&.{ "python3", "-B", "tests/page/run.py" });
    page_test.addArtifactArg(exe);
    const interop_test = b.addSystemCommand(&.{ "python3", "-B", "tests/interop/run.py" });
    interop_test.addArtifactArg(interop_program);

    const house_test = b.addSystemCommand(&.{ "python3", "-B", "tests/house.py" });
    const cli_test = b.addSystemCommand(&.{ "python3", "-B", "tests/cli/run.py" });
    cli_test.addArtifactArg(exe);
    const measured_folder = programFolder(b, target, "tests/cli/programs", &measured_programs);
    cli_test.addDirectoryArg(measured_folder);
    if (filter) |word| cli_test.addArg(b.fmt("--filter={s}", .{word}));
    if (again) cli_test.addArg("--again");

    const calibrate = b.addSystemCommand(&.{ "python3", "-B", "tests/bench/calibrate/calibrate.py" });
    calibrate.addArtifactArg(exe);
    calibrate.addDirectoryArg(programFolder(b, target, "tests/bench/calibrate", &calibration_programs));
    calibrate.stdio = .inherit;
    if (b.args) |args| calibrate.addArgs(args);

    // Steps.
    installLiblauka(b, how);
    b.installArtifact(exe);
    b.getInstallStep().dependOn(&b.addInstallFileWithDir(b.path(schema), .prefix, "share/lauka/" ++ schema).step);
    for (example_programs) |example| b.installArtifact(example);
    installForms(b);
    for (how.libraries) |l| if (l.origin == .compiled) b.installArtifact(l.origin.compiled);

    const run_step = b.step("run", "Run lauka, e.g. zig build run -- CMD CMD; builds the examples too");
    run.step.dependOn(b.getInstallStep()); // so that nothing is compiled while lauka measures
    run_step.dependOn(&run.step);

    const test_step = b.step("test", "Run every test");
    const unit_step = b.step("test-unit", "Run the unit tests only: after a change of one file, in seconds");
    const built_for_tests = b.step("build-tests", "Build all that the tests need, run nothing");
    built_for_tests.dependOn(&exe.step);
    const units = unitTestRun(b, filter);
    for (test_programs, tests) |test_program, t| {
        if (!isFor(t, target)) continue;
        built_for_tests.dependOn(&test_program.step);
        addProgram(units, test_program, &.{});
        const alone = b.step(b.fmt("test-{s}", .{std.fs.path.basename(t.name)}), b.fmt("Run tests/unit/{s}.c only", .{t.name}));
        addTest(alone, b.addRunArtifact(test_program), &test_program.step);
    }
    if (b.graph.host.result.os.tag == .linux and !again) { // for this machine, whatever the target
        const here = compiledFor(b, b.graph.host, .Debug, null, .{ .csv = null, .cjson = null, .zlib = null });
        const fakes = unitTestRun(b, filter);
        for (simulated_mac.add(b, houseModule, linkReport, here, flagsFor(here), pmu.portable ++ &darwin)) |simulated| {
            built_for_tests.dependOn(&simulated.program.step);
            for ([_]*Build.Step.Run{ units, fakes }) |run_of_tests|
                addProgram(run_of_tests, simulated.program, &simulated.libraries);
        }
        const alone = b.step("test-kperf", "Run tests/unit/pmu/kperf.c and tests/unit/runner/mac_process.c only: counting on a simulated Mac");
        alone.dependOn(&fakes.step);
    }
    const runnable = isRunnable(b, target); // others are built, not run
    for ([_]*Build.Step{ test_step, unit_step }) |step| if (runnable) step.dependOn(&units.step);
    if (filter == null) addTest(test_step, house_test, built_for_tests);
    test_step.dependOn(built_for_tests);
    if (runnable) addTest(test_step, cli_test, built_for_tests);

    const races_step = b.step("test-races", "Run tests/unit/stats/histogram.c under ThreadSanitizer");
    addTest(races_step, b.addRunArtifact(races), &races.step);
    const page_step = b.step("test-page", "Look at pages with a browser: Chromium and xmllint");
    addTest(page_step, page_test, &exe.step);
    const interop_step = b.step("test-interop", "Exchange logs with HdrHistogram for Java, which a JDK has to run");
    addTest(interop_step, interop_test, &interop_program.step);

    const vm_step = b.step("test-vm", "Test counting on a real PMU, in an emulated machine (Debian)");
    const vm_test = b.addSystemCommand(&.{ "python3", "-B", "tests/vm/run.py" });
    vm_test.addDirectoryArg(machinePrograms(b, sources));
    vm_test.stdio = .inherit;
    vm_test.setCwd(b.path("."));
    vm_step.dependOn(&vm_test.step);

    const documents_step = b.step("test-documents", "Let others read what lauka writes (Debian: jq, cmark-gfm, python3-jsonschema)");
    const documents_test = b.addSystemCommand(&.{ "python3", "-B", "tests/documents/run.py" });
    documents_test.addArtifactArg(exe);
    addTest(documents_step, documents_test, &exe.step);

    const sanitized_step = b.step("test-sanitized", "Run every test under ASan and UBSan (clang)");
    const sanitized = clangScript(b, "tests/sanitized.py");
    sanitized.addDirectoryArg(measured_folder);
    for (tests) |t| sanitized.addArg(b.fmt("--test={s}", .{t.name}));
    for ([_][]const []const u8{ pmu.portable, &darwin }) |files|
        for (files) |file| sanitized.addArg(b.fmt("--mac-source={s}", .{file}));
    sanitized_step.dependOn(&sanitized.step);

    const faults_step = b.step("test-faults", "Let memory, system calls and limits fail (Debian: strace)");
    const faults = b.addSystemCommand(&.{ "python3", "-B", "tests/faults/run.py" });
    faults.addArtifactArg(exe);
    faults.addArtifactArg(staticLauka(b, sources, .ReleaseSafe));
    faults.addDirectoryArg(measured_folder);
    for ([_][]const u8{ "tests/faults/failing_malloc.c", "tests/faults/stepping_clock.c" }) |file|
        faults.addArtifactArg(preloaded(b, how, file));
    if (b.args) |args| faults.addArgs(args);
    addTest(faults_step, faults, &exe.step);

    // Valgrind does not know this machine's newest instructions.
    const simple = compiledFor(b, b.resolveTargetQuery(.{ .cpu_model = .baseline }), .Debug, null, sources);
    const memcheck_step = b.step("test-memcheck", "Run command-line tests under memcheck (Debian: valgrind)");
    const memcheck = b.addSystemCommand(&.{ "python3", "-B", "tests/memcheck.py" });
    memcheck.addArtifactArg(lauka(b, simple));
    memcheck.addDirectoryArg(measured_folder);
    if (b.args) |args| memcheck.addArgs(args);
    addTest(memcheck_step, memcheck, &exe.step);

    const fuzz_step = b.step("fuzz", "Fuzz every parser, three seconds each; -- --help says more (clang)");
    const fuzz = clangScript(b, "tests/fuzz/run.py");
    if (b.args) |args| fuzz.addArgs(args);
    fuzz_step.dependOn(&fuzz.step);

    const bench_step = b.step("bench", "Measure lauka itself: every program of tests/bench, optimised");
    var previous: ?*Build.Step = null;
    for (benchmarks) |t| {
        const module = linkedModule(b, measured, t.folders);
        module.addCSourceFile(.{ .file = b.path(b.fmt("tests/bench/{s}.c", .{t.name})), .flags = flagsFor(measured) });
        const benchmark = b.addExecutable(.{ .name = b.fmt("bench_{s}", .{t.name}), .root_module = module });
        seeLibraries(b, measured, benchmark);
        linkLibraries(b, measured, benchmark);
        if (std.mem.eql(u8, t.name, "histogram"))
            module.addCSourceFile(.{ .file = b.path("tests/bench/equal_work.c"), .flags = flagsFor(measured) });
        if (b.graph.environ_map.get("LAUKA_HDRHISTOGRAM_SRC")) |directory|
            seeHdrHistogram(b, measured, benchmark, directory);
        const alone = b.step(b.fmt("bench-{s}", .{t.name}), b.fmt("Run tests/bench/{s}.c only", .{t.name}));
        for ([_]*Build.Step{ bench_step, alone }) |step| {
            const bench_run = b.addRunArtifact(benchmark);
            if (std.mem.eql(u8, t.name, "runs") or std.mem.eql(u8, t.name, "footprint"))
                bench_run.addArtifactArg(staticLauka(b, sources, .ReleaseSmall)); // as it is released
            if (std.mem.eql(u8, t.name, "runs"))
                bench_run.addFileArg(measured_folder.path(b, "empty"));
            if (std.mem.eql(u8, t.name, "few_rounds") or std.mem.eql(u8, t.name, "layouts")) {
                if (b.args) |args| bench_run.addArgs(args);
            }
            bench_run.stdio = .inherit;
            step.dependOn(&bench_run.step);
            if (step == alone) continue;
            if (previous) |run_before| bench_run.step.dependOn(run_before); // one at a time
            previous = &bench_run.step;
        }
    }

    for ([_][]const u8{ "levels", "many", "revisions" }) |name| {
        const script = b.addSystemCommand(&.{ "python3", "-B", b.fmt("tests/bench/{s}.py", .{name}) });
        script.addArtifactArg(exe);
        script.stdio = .inherit;
        if (b.args) |args| script.addArgs(args);
        const step = b.step(b.fmt("bench-{s}", .{name}), b.fmt("Run tests/bench/{s}.py only: it takes minutes", .{name}));
        step.dependOn(&script.step);
    }

    const calibrate_step = b.step("calibrate", "Does lauka keep its statistical promises here? Takes an hour");
    calibrate_step.dependOn(&calibrate.step);

    const formatter = b.option([]const u8, "clang-format", "The formatter of C files (zigw sees to it)");
    const fmt_step = b.step("fmt", "Format all C and Zig files");
    const fmt_check_step = b.step("fmt-check", "Fail where a file is not formatted");
    for ([_]*Build.Step{ fmt_step, fmt_check_step }, [_]bool{ false, true }) |step, check| {
        step.dependOn(&b.addFmt(.{ .paths = &.{ "build.zig", "files.zig", "build.zig.zon", "tests/fakes" }, .check = check }).step);
        step.dependOn(clangFormat(b, formatter, check));
    }
    const commands_step = b.step("compile-commands", "Write compile_commands.json, for clangd and other readers of C");
    commands_step.dependOn(compileCommands(b, target.result.os.tag));

    const check_step = b.step("check", "Build all for every supported system: zig-out/check/SYSTEM/");
    for (check_targets) |name| check_step.dependOn(crossBuild(b, name, sources));
    check_step.dependOn(crossBuild(b, newest_macos, sources));
}

fn compiledFor(
    b: *Build,
    target: Build.ResolvedTarget,
    mode: std.builtin.OptimizeMode,
    strip: ?bool,
    sources: Sources,
) How {
    var how: How = .{ .target = target, .optimize = mode, .strip = strip orelse (mode == .ReleaseSmall) };
    how.libraries = b.allocator.dupe(Library, &.{
        thirdParty(b, how, "csv", sources.csv, .{
            .files = &.{"libcsv.c"},
            .headers = &.{.{ .file = "csv.h", .included_as = "csv.h" }},
        }),
        thirdParty(b, how, "cjson", sources.cjson, .{
            .files = &.{"cJSON.c"},
            .headers = &.{.{ .file = "cJSON.h", .included_as = "cjson/cJSON.h" }},
        }),
        thirdParty(b, how, "zlib", sources.zlib, .{
            .system_name = "z",
            // zutil.h takes macOS for the system before it, which had no fdopen, and defines one.
            .flags = &.{"-Dfdopen=fdopen"},
            .files = &.{
                "adler32.c", "compress.c", "crc32.c", "deflate.c", "inffast.c",
                "inflate.c", "inftrees.c", "trees.c", "zutil.c",
            },
            .headers = &.{
                .{ .file = "zlib.h", .included_as = "zlib.h" },
                .{ .file = "zconf.h", .included_as = "zconf.h" },
            },
        }),
    }) catch @panic("OOM");
    var archives: [house.len]*Compile = undefined;
    for (&archives, house) |*archive, folder| archive.* = library(b, how, folder);
    how.folders = b.allocator.dupe(*Compile, &archives) catch @panic("OOM");
    return how;
}

/// What of a library's source tree is compiled and included.
const Tree = struct {
    system_name: ?[]const u8 = null, // of the installed library, where it has another one
    flags: []const []const u8 = &.{},
    files: []const []const u8,
    headers: []const struct { file: []const u8, included_as: []const u8 },
};

fn thirdParty(b: *Build, how: How, name: []const u8, directory: ?[]const u8, tree: Tree) Library {
    // Only a native system is searched for libraries; its CPU does not matter.
    const query = how.target.query;
    const native = query.cpu_arch == null and query.isNativeOs() and query.isNativeAbi();
    if (directory == null) return .{ .name = tree.system_name orelse name, .origin = if (native) .system else .{
        .missing = b.addFail(b.fmt("for another system {s} is compiled from source: give " ++
            "-D{s}-src=DIR, or build with ./zigw, which provides it on Debian", .{ name, name })),
    } };

    const source: Build.LazyPath = .{ .cwd_relative = directory.? };
    const module = b.createModule(.{
        .target = how.target,
        .optimize = how.optimize,
        .strip = how.strip,
        .unwind_tables = if (how.strip) .none else null, // for debuggers, as symbols are
        .link_libc = true,
        .sanitize_c = .off, // their code, their warnings
    });
    const small: []const []const u8 = if (how.optimize == .ReleaseSmall) &small_flags else &.{};
    const flags = std.mem.concat(b.allocator, []const u8, &.{ &.{ "-w", "-ffunction-sections", "-fdata-sections" }, small, tree.flags }) catch @panic("OOM");
    for (tree.files) |file| module.addCSourceFile(.{ .file = source.path(b, file), .flags = flags });
    const lib = b.addLibrary(.{ .name = name, .linkage = .static, .root_module = module });
    for (tree.headers) |header| lib.installHeader(source.path(b, header.file), header.included_as);
    return .{ .name = name, .origin = .{ .compiled = lib } };
}

/// For what includes the libraries' headers.
fn seeLibraries(b: *Build, how: How, compile: *Compile) void {
    const module = compile.root_module;
    for (how.libraries) |other| switch (other.origin) {
        .compiled => |lib| module.addIncludePath(lib.getEmittedIncludeTree()),
        .missing => |fail| compile.step.dependOn(&fail.step),
        .system => {
            const result = how.target.result;
            if (result.os.tag == .macos) for (homebrew) |prefix|
                module.addSystemIncludePath(.{ .cwd_relative = b.fmt("{s}/include", .{prefix}) });
            // Where no C compiler is installed Zig takes its own libc, and does not look here.
            if (result.os.tag == .linux) for ([_][]const u8{
                "/usr/include", b.fmt("/usr/include/{s}-linux-gnu", .{@tagName(result.cpu.arch)}),
            }) |directory| module.addAfterIncludePath(.{ .cwd_relative = directory });
        },
    };
}

fn linkReport(b: *Build, how: How, compile: *Compile) void {
    linkFolders(how, compile.root_module, &.{ stats, report });
    linkLibraries(b, how, compile);
}

fn linkFolders(how: How, module: *Build.Module, folders: []const Folder) void {
    for (folders) |folder| for (how.folders) |archive|
        if (std.mem.eql(u8, archive.name, folder.name)) module.linkLibrary(archive);
}

/// For programs. A static library would get the libraries themselves as members.
fn linkLibraries(b: *Build, how: How, compile: *Compile) void {
    const module = compile.root_module;
    for (how.libraries) |other| switch (other.origin) {
        .compiled => |lib| module.linkLibrary(lib),
        .missing => |fail| compile.step.dependOn(&fail.step),
        .system => {
            if (how.target.result.os.tag == .macos) for (homebrew) |prefix|
                module.addLibraryPath(.{ .cwd_relative = b.fmt("{s}/lib", .{prefix}) });
            // Not by pkg-config: it may be missing, and would make <cJSON.h> of <cjson/cJSON.h>.
            module.linkSystemLibrary(other.name, .{ .use_pkg_config = .no });
        },
    };
}

const homebrew = [_][]const u8{ "/opt/homebrew", "/usr/local" };

/// Whether programs of the target can be executed here.
fn isRunnable(b: *Build, target: Build.ResolvedTarget) bool {
    const host = b.graph.host.result;
    return target.result.os.tag == host.os.tag and target.result.cpu.arch == host.cpu.arch;
}

/// A module with the house's headers, macros and the given folders' C files.
fn houseModule(b: *Build, how: How, folders: []const Folder) *Build.Module {
    const module = b.createModule(.{
        .target = how.target,
        .optimize = how.optimize,
        .strip = how.strip,
        .unwind_tables = if (how.strip) .none else null, // for debuggers, as symbols are
        .link_libc = true,
    });
    const os = how.target.result.os.tag;
    module.addIncludePath(b.path("."));
    for (macros(os)) |macro| module.addCMacro(macro[0], macro[1]);
    for (folders) |folder| {
        const own = if (os == .linux) folder.linux else folder.macos;
        module.addCSourceFiles(.{ .files = folder.portable, .flags = flagsFor(how) });
        module.addCSourceFiles(.{ .files = own, .flags = flagsFor(how) });
    }
    return module;
}

/// A module with the house's headers and macros, for a program that is linked with the given folders:
/// what many programs need is compiled once.
fn linkedModule(b: *Build, how: How, folders: []const Folder) *Build.Module {
    const module = houseModule(b, how, &.{});
    linkFolders(how, module, folders);
    return module;
}

/// What the C files are told of the version and the system.
fn macros(os: std.Target.Os.Tag) []const [2][]const u8 {
    const quoted = "\"" ++ version ++ "\"";
    return switch (os) {
        .linux => &.{
            .{ "LAUKA_VERSION", quoted },
            .{ "LAUKA_MAXRSS_UNIT", "1024" }, // of ru_maxrss, in bytes: getrusage(2) of either system
            .{ "LAUKA_GROUP_TYPE", "gid_t" }, // what getgrouplist(3) and initgroups(3) take
            .{ "_GNU_SOURCE", "1" },
        },
        .macos => &.{
            .{ "LAUKA_VERSION", quoted }, .{ "LAUKA_MAXRSS_UNIT", "1" }, .{ "LAUKA_GROUP_TYPE", "int" },
        },
        else => @panic("lauka knows Linux and macOS"),
    };
}

/// A frame pointer costs 1.5 % of the program, jump tables 0.1 %.
const small_flags = [_][]const u8{ "-Oz", "-fomit-frame-pointer", "-fno-jump-tables" };

/// Zig's own are -O2 and -Os for C.
fn flagsFor(how: How) []const []const u8 {
    return switch (how.optimize) {
        .ReleaseFast => &(c_flags ++ .{"-O3"}),
        .ReleaseSmall => &(c_flags ++ small_flags ++ .{ "-ffunction-sections", "-fdata-sections" }),
        .Debug => &(c_flags ++ .{"-O1"}), // tests take a third of the time
        .ReleaseSafe => &c_flags,
    };
}

/// HdrHistogram_c from a source tree outside of this one, for tests/bench/equal_work.c to include.
fn seeHdrHistogram(b: *Build, how: How, benchmark: *Compile, directory: []const u8) void {
    const source: Build.LazyPath = .{ .cwd_relative = directory };
    const module = benchmark.root_module;
    // Trees of today have src/ and include/hdr/, those of before 2022 are flat.
    const flat = if (std.Io.Dir.cwd().access(b.graph.io, b.pathJoin(&.{ directory, "hdr_histogram.c" }), .{})) true else |_| false;
    if (flat) module.addIncludePath(source) else for ([_][]const u8{ "src", "include", "include/hdr" }) |folder|
        module.addIncludePath(source.path(b, folder));
    // What it asks the compiler's library at run time, Zig's library does not tell.
    const cpu = how.target.result.cpu;
    const avx2 = cpu.arch == .x86_64 and std.Target.x86.featureSetHas(cpu.features, .avx2);
    module.addCMacro("__builtin_cpu_supports(feature)", if (avx2) "1" else "0");
    module.addCMacro("LAUKA_BENCH_HDR", "1");
}

const house = [_]Folder{ stats, pmu, report, runner };

/// The program: what its folders' archives hold, and main.c. Each folder is compiled once for all that
/// is linked with it, and beside the others.
fn lauka(b: *Build, how: How) *Compile {
    const module = linkedModule(b, how, &house);
    module.addCSourceFile(.{ .file = b.path("runner/main.c"), .flags = flagsFor(how) });
    const compile = b.addExecutable(.{ .name = "lauka", .root_module = module });
    linkLibraries(b, how, compile);
    return compile;
}

/// liblauka.a: the members of the folders' archives, all but main.c; and its headers.
fn installLiblauka(b: *Build, how: How) void {
    const join = b.addSystemCommand(&.{ b.graph.zig_exe, "ar", "qcsL" });
    const lib = join.addOutputFileArg("liblauka.a");
    for (how.folders) |archive| join.addArtifactArg(archive);
    b.getInstallStep().dependOn(&b.addInstallLibFile(lib, "liblauka.a").step);
    b.installDirectory(.{ .source_dir = b.path("include"), .install_dir = .header, .install_subdir = "" });
    for (lists.headers) |header|
        b.getInstallStep().dependOn(&b.addInstallHeaderFile(b.path(header), b.fmt("lauka/{s}", .{header})).step);
}

fn library(b: *Build, how: How, folder: Folder) *Compile {
    const module = houseModule(b, how, &.{folder});
    const lib = b.addLibrary(.{ .name = folder.name, .linkage = .static, .root_module = module });
    seeLibraries(b, how, lib);
    return lib;
}

fn unitTest(b: *Build, how: How, t: Test) *Compile {
    return testProgram(b, how, linkedModule(b, how, t.folders), t.name);
}

fn testProgram(b: *Build, how: How, module: *Build.Module, name: []const u8) *Compile {
    module.addCSourceFile(.{ .file = b.path(b.fmt("tests/unit/{s}.c", .{name})), .flags = flagsFor(how) });
    const test_program = b.addExecutable(.{ .name = b.fmt("test_{s}", .{std.fs.path.basename(name)}), .root_module = module });
    seeLibraries(b, how, test_program);
    linkLibraries(b, how, test_program); // for the report, and for tests that read known answers
    return test_program;
}

fn isFor(t: Test, target: Build.ResolvedTarget) bool {
    return !t.linux_only or target.result.os.tag == .linux;
}

/// A program of one file that knows nothing of lauka: an example, or something to be measured.
fn standalone(b: *Build, how: How, name: []const u8, file: []const u8) *Compile {
    const module = b.createModule(.{
        .target = how.target,
        .optimize = how.optimize,
        .strip = how.strip,
        .unwind_tables = if (how.strip) .none else null, // for debuggers, as symbols are
        .link_libc = true,
    });
    if (how.target.result.os.tag == .linux) module.addCMacro("_GNU_SOURCE", "1");
    module.addCSourceFile(.{ .file = b.path(file), .flags = flagsFor(how) });
    return b.addExecutable(.{ .name = name, .root_module = module });
}

/// Little programs without any dependency, together in one folder.
fn programFolder(b: *Build, target: Build.ResolvedTarget, from: []const u8, names: []const []const u8) Build.LazyPath {
    const how: How = .{
        .target = if (target.result.os.tag == .linux) b.resolveTargetQuery(.{
            .cpu_arch = target.result.cpu.arch,
            .os_tag = .linux,
            .abi = .musl,
        }) else target,
        .optimize = .ReleaseSmall,
        .strip = false, // valgrind follows a fork by the functions' names
    };
    const directory = b.addWriteFiles();
    for (names) |name| {
        const compile = standalone(b, how, name, b.fmt("{s}/{s}.c", .{ from, name }));
        _ = directory.addCopyFile(compile.getEmittedBin(), name);
    }
    return directory.getDirectory();
}

/// The manual page and the completions: written by a program of this machine, whatever the target.
fn installForms(b: *Build) void {
    const module = houseModule(b, .{
        .target = b.graph.host,
        .optimize = .Debug,
        .strip = false,
    }, &.{});
    module.addCSourceFiles(.{ .files = &.{
        "runner/manual.c",
        "runner/options/table.c",
        "runner/options/help.c",
        "runner/options/forms.c",
        "runner/options/man.c",
        "runner/options/completions.c",
    }, .flags = &c_flags });
    const manual = b.addExecutable(.{ .name = "manual", .root_module = module });
    for ([_][2][]const u8{
        .{ "man", "share/man/man1/lauka.1" },
        .{ "bash", "share/bash-completion/completions/lauka" },
        .{ "zsh", "share/zsh/site-functions/_lauka" },
        .{ "fish", "share/fish/vendor_completions.d/lauka.fish" },
    }) |form| {
        const run = b.addRunArtifact(manual);
        run.addArg(form[0]);
        const file = b.addInstallFile(run.captureStdOut(.{}), form[1]);
        b.getInstallStep().dependOn(&file.step);
    }
}

/// What runs in the machine of tests/vm: static arm64 programs.
fn machinePrograms(b: *Build, sources: Sources) Build.LazyPath {
    const query = Build.parseTargetQuery(.{ .arch_os_abi = "aarch64-linux-musl" }) catch unreachable;
    const how = compiledFor(b, b.resolveTargetQuery(query), .ReleaseSmall, null, sources);
    const directory = b.addWriteFiles();
    const put = struct {
        fn put(to: *Build.Step.WriteFile, compile: *Compile) void {
            _ = to.addCopyFile(compile.getEmittedBin(), compile.name);
        }
    }.put;
    put(directory, lauka(b, how));
    for ([_][]const u8{ "loop", "crowd", "refusing", "holding", "memory" }) |name|
        put(directory, standalone(b, how, name, b.fmt("tests/vm/{s}.c", .{name})));
    for (tests) |t| if (std.mem.eql(u8, t.name, "pmu/pmu") or std.mem.eql(u8, t.name, "pmu/events") or std.mem.eql(u8, t.name, "pmu/topology"))
        put(directory, unitTest(b, how, t));
    return directory.getDirectory();
}

/// A script that compiles lauka with clang, for what Zig does not bring: --source=FILE of each.
fn clangScript(b: *Build, script: []const u8) *Build.Step.Run {
    const run = b.addSystemCommand(&.{ "python3", "-B", script });
    for (house) |folder| for ([_][]const []const u8{ folder.portable, folder.linux }) |files|
        for (files) |file| run.addArg(b.fmt("--source={s}", .{file}));
    run.stdio = .inherit;
    run.setCwd(b.path("."));
    return run;
}

/// lauka for this kind of processor, without a dynamic linker.
fn staticLauka(b: *Build, sources: Sources, mode: std.builtin.OptimizeMode) *Compile {
    const target = b.resolveTargetQuery(.{ .cpu_arch = b.graph.host.result.cpu.arch, .os_tag = .linux, .abi = .musl });
    const how = compiledFor(b, target, mode, null, sources);
    return lauka(b, how);
}

/// A shared library for LD_PRELOAD.
fn preloaded(b: *Build, how: How, file: []const u8) *Compile {
    const module = b.createModule(.{ .target = how.target, .optimize = .ReleaseSmall, .link_libc = true });
    module.addCMacro("_GNU_SOURCE", "1");
    module.addCSourceFile(.{ .file = b.path(file), .flags = &c_flags });
    return b.addLibrary(.{ .name = std.fs.path.stem(file), .linkage = .dynamic, .root_module = module });
}

/// Runs unit tests' programs, several at once.
fn unitTestRun(b: *Build, filter: ?[]const u8) *Build.Step.Run {
    const run = b.addSystemCommand(&.{ "python3", "-B", "tests/units.py" });
    if (filter) |word| run.setEnvironmentVariable("LAUKA_TEST_FILTER", word);
    run.stdio = .inherit;
    run.setCwd(b.path("."));
    return run;
}

fn addProgram(run: *Build.Step.Run, compile: *Compile, arguments: []const *Compile) void {
    run.addArtifactArg(compile);
    for (arguments) |argument| run.addArtifactArg(argument);
    run.addArg("--");
}

/// Runs always, one at a time, output seen, from the root, after everything has been compiled.
fn addTest(step: *Build.Step, run: *Build.Step.Run, after: *Build.Step) void {
    const b = step.owner;
    run.stdio = .inherit;
    run.setCwd(b.path("."));
    run.failing_to_execute_foreign_is_an_error = false; // cross targets: built, not run
    run.step.dependOn(after);
    step.dependOn(&run.step);
}

/// lauka, the examples and the test programs for another system, linked as for a release; of the newest
/// macOS lauka only.
fn crossBuild(b: *Build, name: []const u8, sources: Sources) *Build.Step {
    const query = Build.parseTargetQuery(.{ .arch_os_abi = name }) catch @panic("check_targets");
    const how = compiledFor(b, b.resolveTargetQuery(query), .ReleaseSmall, null, sources);
    const step = b.step(b.fmt("check-{s}", .{name}), b.fmt("Build all for {s} only", .{name}));
    const install = struct {
        fn add(s: *Build.Step, compile: *Compile, system: []const u8) void {
            s.dependOn(&s.owner.addInstallArtifact(compile, .{
                .dest_dir = .{ .override = .{ .custom = s.owner.fmt("check/{s}", .{system}) } },
            }).step);
        }
    }.add;
    install(step, lauka(b, how), name);
    if (std.mem.eql(u8, name, newest_macos)) return step;
    for (examples) |example|
        install(step, standalone(b, how, example, b.fmt("examples/{s}.c", .{example})), name);
    for (tests) |t| if (isFor(t, how.target)) install(step, unitTest(b, how, t), name);
    return step;
}

fn clangFormat(b: *Build, formatter: ?[]const u8, check: bool) *Build.Step {
    const path = formatter orelse return &b.addFail("give -Dclang-format=PATH, or build by ./zigw").step;
    const how = if (check) "--dry-run -Werror" else "-i";
    const run = b.addSystemCommand(&.{ "sh", "-c", b.fmt(
        "find stats pmu report runner include tests examples -name '*.[ch]' -exec \"$0\" {s} {{}} +",
        .{how},
    ), path });
    run.setCwd(b.path("."));
    run.has_side_effects = true;
    return &run.step;
}

/// Of lauka's own files, its unit tests and its benchmarks. A file of macOS sees the fake one's headers.
fn compileCommands(b: *Build, os: std.Target.Os.Tag) *Build.Step {
    const Command = struct { directory: []const u8, file: []const u8, arguments: []const []const u8 };
    var commands: std.ArrayList(Command) = .empty;
    var arguments: std.ArrayList([]const u8) = .empty;
    arguments.append(b.allocator, "cc") catch @panic("OOM");
    arguments.appendSlice(b.allocator, &c_flags) catch @panic("OOM");
    arguments.appendSlice(b.allocator, &.{ "-I.", "-Itests/fakes/include" }) catch @panic("OOM");
    for (macros(os)) |macro|
        arguments.append(b.allocator, b.fmt("-D{s}={s}", .{ macro[0], macro[1] })) catch @panic("OOM");
    var files: std.ArrayList([]const u8) = .empty;
    for (house) |folder|
        for ([_][]const []const u8{ folder.portable, folder.linux, folder.macos }) |list|
            files.appendSlice(b.allocator, list) catch @panic("OOM");
    files.append(b.allocator, "runner/main.c") catch @panic("OOM");
    for (tests) |t| files.append(b.allocator, b.fmt("tests/unit/{s}.c", .{t.name})) catch @panic("OOM");
    for (benchmarks) |t| files.append(b.allocator, b.fmt("tests/bench/{s}.c", .{t.name})) catch @panic("OOM");
    for (files.items) |file| commands.append(b.allocator, .{
        .directory = b.pathFromRoot("."),
        .file = file,
        .arguments = std.mem.concat(b.allocator, []const u8, &.{ arguments.items, &.{ "-c", file } }) catch @panic("OOM"),
    }) catch @panic("OOM");
    const text = std.json.Stringify.valueAlloc(b.allocator, commands.items, .{ .whitespace = .indent_1 }) catch @panic("OOM");
    const update = b.addUpdateSourceFiles();
    update.addBytesToSource(text, "compile_commands.json");
    return &update.step;
}
