//! How things are compiled: the project's folders, libraries of others, and programs of one file.

const std = @import("std");
const Build = std.Build;
const Compile = Build.Step.Compile;

pub const version = @import("../build.zig.zon").version;
/// The version of the C library that Zig compiles for static programs.
pub const musl_version = "1.2.5";

const commit = @import("commit.zig");
const options = @import("options.zig");
const templates = @import("templates.zig");

const lists = @import("../files.zig");
const Folder = lists.Folder;

pub const c_flags = [_][]const u8{
    "-std=c17",            "-Wall",                "-Wextra", "-Wpedantic",      "-Wshadow", "-Wconversion",
    "-Wstrict-prototypes", "-Wmissing-prototypes", "-Wvla",   "-Wwrite-strings", "-Werror",
    // Fused, a * b + c * d has other bits than c * d + a * b, but results for swapped commands must mirror
    // exactly.
     "-ffp-contract=off",
};

/// The settings of everything that is compiled for one machine in one mode.
pub const How = struct {
    target: Build.ResolvedTarget,
    optimize: std.builtin.OptimizeMode,
    strip: bool,
    embedded: bool = false, // becomes part of other programs: position-independent, with hidden symbols
    libraries: []const Library = &.{},
    folders: []const *Compile = &.{}, // one archive per folder, by its name
};

/// A third-party library, and where it comes from.
pub const Library = struct {
    name: []const u8,
    origin: union(enum) { system, compiled: *Compile, missing: *Build.Step.Fail },
};

/// The source trees of -Dcsv-src, -Dcjson-src and -Dzlib-src.
pub const Sources = struct { csv: ?[]const u8, cjson: ?[]const u8, zlib: ?[]const u8 };

/// What most steps need.
pub const Built = struct {
    target: Build.ResolvedTarget,
    sources: Sources,
    how: How, // according to -Doptimize
    checked: How, // for unit tests
    measured: How, // for programs that must be fast
    exe: *Compile, // lauka
    measured_folder: Build.LazyPath, // the folder of the programs in tests/cli/programs
};

pub fn compiledFor(
    b: *Build,
    target: Build.ResolvedTarget,
    mode: std.builtin.OptimizeMode,
    strip: ?bool,
    sources: Sources,
) How {
    return complete(b, .{ .target = target, .optimize = mode, .strip = strip orelse (mode == .ReleaseSmall) }, sources);
}

/// For liblauka, with which other programs record while they measure.
pub fn compiledForOthers(b: *Build, target: Build.ResolvedTarget, sources: Sources) How {
    return complete(b, .{ .target = target, .optimize = .ReleaseFast, .strip = true, .embedded = true }, sources);
}

fn complete(b: *Build, begun: How, sources: Sources) How {
    var how = begun;
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
            // zutil.h takes macOS for its predecessor, which lacked fdopen, and defines a replacement.
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

/// The files of a library's source tree that are compiled and included.
const Tree = struct {
    system_name: ?[]const u8 = null, // of the installed library, if it has another name
    flags: []const []const u8 = &.{},
    files: []const []const u8,
    headers: []const struct { file: []const u8, included_as: []const u8 },
};

fn thirdParty(b: *Build, how: How, name: []const u8, directory: ?[]const u8, tree: Tree) Library {
    // Libraries are searched only for the native system; the CPU does not matter.
    const query = how.target.query;
    const native = query.cpu_arch == null and query.isNativeOs() and query.isNativeAbi();
    if (directory == null) return .{ .name = tree.system_name orelse name, .origin = if (native) .system else .{
        .missing = b.addFail(b.fmt("for another system, {s} is compiled from source: pass " ++
            "-D{s}-src=DIR, or build with ./zigw, which provides it on Debian", .{ name, name })),
    } };

    const source: Build.LazyPath = .{ .cwd_relative = directory.? };
    const module = emptyModule(b, how);
    module.sanitize_c = .off; // third-party code, with its own warnings
    // Without zlib's tables for sums of several bytes at once, the program is smaller.
    const small: []const []const u8 = if (how.optimize == .ReleaseSmall) &(small_flags ++ .{"-DZ_TESTW="}) else &.{};
    const hidden: []const []const u8 = if (how.embedded) &.{"-fvisibility=hidden"} else &.{};
    const flags = std.mem.concat(b.allocator, []const u8, &.{ &.{ "-w", "-ffunction-sections", "-fdata-sections" }, small, hidden, tree.flags }) catch @panic("OOM");
    for (tree.files) |file| module.addCSourceFile(.{ .file = source.path(b, file), .flags = flags });
    const lib = b.addLibrary(.{ .name = name, .linkage = .static, .root_module = module });
    for (tree.headers) |header| lib.installHeader(source.path(b, header.file), header.included_as);
    return .{ .name = name, .origin = .{ .compiled = lib } };
}

/// Adds the libraries' headers, for code that includes them.
pub fn seeLibraries(b: *Build, how: How, compile: *Compile) void {
    const module = compile.root_module;
    for (how.libraries) |other| switch (other.origin) {
        .compiled => |lib| module.addIncludePath(lib.getEmittedIncludeTree()),
        .missing => |fail| compile.step.dependOn(&fail.step),
        .system => {
            const result = how.target.result;
            if (result.os.tag == .macos) for (homebrew) |prefix|
                module.addSystemIncludePath(.{ .cwd_relative = b.fmt("{s}/include", .{prefix}) });
            // If no C compiler is installed, Zig uses its own libc and does not search here.
            if (result.os.tag == .linux) for ([_][]const u8{
                "/usr/include", b.fmt("/usr/include/{s}-linux-gnu", .{@tagName(result.cpu.arch)}),
            }) |directory| module.addAfterIncludePath(.{ .cwd_relative = directory });
        },
    };
}

pub fn linkReport(b: *Build, how: How, compile: *Compile) void {
    linkFolders(how, compile.root_module, &.{ lists.stats, lists.report });
    linkLibraries(b, how, compile);
}

fn linkFolders(how: How, module: *Build.Module, folders: []const Folder) void {
    for (folders) |folder| for (how.folders) |archive|
        if (std.mem.eql(u8, archive.name, folder.name)) module.linkLibrary(archive);
}

/// For programs only: a static library would get the libraries themselves as members.
pub fn linkLibraries(b: *Build, how: How, compile: *Compile) void {
    const module = compile.root_module;
    for (how.libraries) |other| switch (other.origin) {
        .compiled => |lib| module.linkLibrary(lib),
        .missing => |fail| compile.step.dependOn(&fail.step),
        .system => {
            if (how.target.result.os.tag == .macos) for (homebrew) |prefix|
                module.addLibraryPath(.{ .cwd_relative = b.fmt("{s}/lib", .{prefix}) });
            // pkg-config is not used: it may be missing, and would require <cJSON.h> instead of
            // <cjson/cJSON.h>.
            module.linkSystemLibrary(other.name, .{ .use_pkg_config = .no });
        },
    };
}

/// A C module without files.
fn emptyModule(b: *Build, how: How) *Build.Module {
    return b.createModule(.{
        .target = how.target,
        .optimize = how.optimize,
        .strip = how.strip,
        .unwind_tables = if (how.strip and !how.embedded) .none else null, // for debuggers, like symbols
        .pic = if (how.embedded) true else null,
        .link_libc = true,
    });
}

const homebrew = [_][]const u8{ "/opt/homebrew", "/usr/local" };

/// Adds the table of options.
pub fn addOptions(b: *Build, module: *Build.Module, how: How) void {
    module.addCSourceFile(.{ .file = options.source(b), .flags = flagsFor(how) });
}

/// A module with the project's headers and macros, and the C files of these folders.
pub fn houseModule(b: *Build, how: How, folders: []const Folder) *Build.Module {
    const module = emptyModule(b, how);
    const os = how.target.result.os.tag;
    module.addIncludePath(b.path("."));
    module.addIncludePath(options.folder(b));
    for (macros(os)) |macro| module.addCMacro(macro[0], macro[1]);
    for (folders) |folder| {
        const own = if (os == .linux) folder.linux else folder.macos;
        module.addCSourceFiles(.{ .files = folder.portable, .flags = flagsFor(how) });
        module.addCSourceFiles(.{ .files = own, .flags = flagsFor(how) });
        if (std.mem.eql(u8, folder.name, "runner")) {
            addOptions(b, module, how);
            module.addCSourceFile(.{ .file = templates.source(b), .flags = flagsFor(how) });
        }
    }
    return module;
}

/// A module with the project's headers and macros, for a program that is linked with these folders: code
/// that many programs need is compiled once.
pub fn linkedModule(b: *Build, how: How, folders: []const Folder) *Build.Module {
    const module = houseModule(b, how, &.{});
    linkFolders(how, module, folders);
    return module;
}

/// Macros that tell the C files about the version and the system.
pub fn macros(os: std.Target.Os.Tag) []const [2][]const u8 {
    const quoted = "\"" ++ version ++ "\"";
    return switch (os) {
        .linux => &.{
            .{ "LAUKA_VERSION", quoted },
            .{ "LAUKA_MAXRSS_UNIT", "1024" }, // the unit of ru_maxrss in bytes; see each system's getrusage(2)
            .{ "LAUKA_GROUP_TYPE", "gid_t" }, // the type in getgrouplist(3) and initgroups(3)
            .{ "_GNU_SOURCE", "1" },
        },
        .macos => &.{
            .{ "LAUKA_VERSION", quoted }, .{ "LAUKA_MAXRSS_UNIT", "1" }, .{ "LAUKA_GROUP_TYPE", "int" },
        },
        else => @panic("lauka supports Linux and macOS"),
    };
}

/// Frame pointers would make the program 1.5 % larger, jump tables 0.1 %.
const small_flags = [_][]const u8{ "-Oz", "-fomit-frame-pointer", "-fno-jump-tables" };

/// For C, Zig itself would choose -O2 and -Os.
pub fn flagsFor(how: How) []const []const u8 {
    if (how.embedded)
        return &(c_flags ++ .{ "-O3", "-fvisibility=hidden", "-ffunction-sections", "-fdata-sections" });
    return switch (how.optimize) {
        .ReleaseFast => &(c_flags ++ .{"-O3"}),
        .ReleaseSmall => &(c_flags ++ small_flags ++ .{ "-ffunction-sections", "-fdata-sections" }),
        .Debug => &(c_flags ++ .{ "-O1", "-fvectorize" }), // makes tests three times as fast
        .ReleaseSafe => &c_flags,
    };
}

pub const house = [_]Folder{ lists.stats, lists.pmu, lists.report, lists.runner, lists.liblauka };

pub const build_macros = [_][]const u8{ "LAUKA_COMMIT", "LAUKA_TARGET", "LAUKA_LIBC_NAME", "LAUKA_LIBC_VERSION" };

/// Only runner/build.c gets these macros, so a new commit compiles one file and links.
fn buildFlags(b: *Build, how: How) []const []const u8 {
    const target = how.target.result;
    const glibc = target.os.versionRange().gnuLibCVersion();
    const libc: [2][]const u8 = if (target.isMuslLibC())
        .{ "musl", musl_version }
    else if (glibc) |of|
        .{ "glibc", b.fmt("{d}.{d}", .{ of.major, of.minor }) } // the oldest supported version
    else
        .{ "libSystem", "" };
    var flags: [build_macros.len][]const u8 = undefined;
    for (&flags, build_macros, [_][]const u8{ commit.name(b), targetName(b, target), libc[0], libc[1] }) |*flag, macro, value|
        flag.* = b.fmt("-D{s}=\"{s}\"", .{ macro, value });
    return b.allocator.dupe([]const u8, &flags) catch @panic("OOM");
}

fn targetName(b: *Build, target: std.Target) []const u8 {
    const arch = @tagName(target.cpu.arch);
    const system = @tagName(target.os.tag);
    return if (target.os.tag == .macos) b.fmt("{s}-{s}", .{ arch, system }) else b.fmt("{s}-{s}-{s}", .{ arch, system, @tagName(target.abi) });
}

/// The program: the archives of its folders, and main.c. Each folder is compiled once for everything that
/// is linked with it, and in parallel with the others.
pub fn lauka(b: *Build, how: How) *Compile {
    return laukaWith(b, how, hasLauncherProgram(how));
}

/// The same program, but its launcher is a copy of itself: for tools that watch a process and its copies.
pub fn laukaAlone(b: *Build, how: How) *Compile {
    return laukaWith(b, how, false);
}

fn laukaWith(b: *Build, how: How, with_program: bool) *Compile {
    const module = linkedModule(b, how, &house);
    module.addCSourceFile(.{ .file = b.path("runner/main.c"), .flags = flagsFor(how) });
    module.addCSourceFile(.{
        .file = b.path("runner/build.c"),
        .flags = std.mem.concat(b.allocator, []const u8, &.{ flagsFor(how), buildFlags(b, how) }) catch @panic("OOM"),
    });
    module.addCSourceFile(.{
        .file = if (with_program) besideProgram(b, how) else b.path("runner/launcher_program.c"),
        .flags = std.mem.concat(b.allocator, []const u8, &.{ flagsFor(how), &.{"-Wno-c23-extensions"} }) catch @panic("OOM"), // for #embed
    });
    addSubstitutes(b, how, module);
    const compile = b.addExecutable(.{ .name = "lauka", .root_module = module });
    linkLibraries(b, how, compile);
    return compile;
}

/// On macOS, a child's peak memory does not start at its parent's, so no separate program is needed.
fn hasLauncherProgram(how: How) bool {
    return how.target.result.os.tag == .linux;
}

/// Puts runner/launcher_program.c into a folder where it finds the program.
fn besideProgram(b: *Build, how: How) Build.LazyPath {
    const small: How = .{
        .target = b.resolveTargetQuery(.{ .cpu_arch = how.target.result.cpu.arch, .os_tag = .linux, .abi = .musl }),
        .optimize = .ReleaseSmall,
        .strip = true,
    };
    const module = houseModule(b, small, &.{});
    module.addCSourceFiles(.{ .files = &lists.launcher, .flags = flagsFor(small) });
    addSubstitutes(b, small, module);
    const program = b.addExecutable(.{ .name = "launcher_program", .root_module = module });
    program.lto = .full;
    const folder = b.addWriteFiles();
    _ = folder.addCopyFile(program.getEmittedBin(), "launcher_program");
    return folder.addCopyFile(b.path("runner/launcher_program.c"), "launcher_program.c");
}

/// Adds the replacements for functions of the C library in small programs. Zig's own functions copy and
/// clear memory byte by byte there, but they are weak, so these win. Other functions come from an archive,
/// which is not searched for names that are defined already.
fn addSubstitutes(b: *Build, how: How, module: *Build.Module) void {
    if (how.optimize != .ReleaseSmall or !how.target.result.isMuslLibC()) return;
    module.addCSourceFiles(.{
        .files = &lists.substitutes,
        .flags = std.mem.concat(b.allocator, []const u8, &.{ flagsFor(how), &.{"-fno-builtin"} }) catch @panic("OOM"),
    });
}

fn library(b: *Build, how: How, folder: Folder) *Compile {
    const module = houseModule(b, how, &.{folder});
    const lib = b.addLibrary(.{ .name = folder.name, .linkage = .static, .root_module = module });
    seeLibraries(b, how, lib);
    return lib;
}

pub fn unitTest(b: *Build, how: How, t: lists.Test) *Compile {
    return testProgram(b, how, linkedModule(b, how, t.folders), t.name);
}

pub fn testProgram(b: *Build, how: How, module: *Build.Module, name: []const u8) *Compile {
    module.addCSourceFile(.{ .file = b.path(b.fmt("tests/unit/{s}.c", .{name})), .flags = flagsFor(how) });
    const test_program = b.addExecutable(.{ .name = b.fmt("test_{s}", .{std.fs.path.basename(name)}), .root_module = module });
    seeLibraries(b, how, test_program);
    linkLibraries(b, how, test_program); // for the report, and for tests that read known answers
    return test_program;
}

pub fn isFor(t: lists.Test, target: Build.ResolvedTarget) bool {
    return !t.linux_only or target.result.os.tag == .linux;
}

/// A program of one file that does not use lauka: an example, or a program to measure.
pub fn standalone(b: *Build, how: How, name: []const u8, file: []const u8) *Compile {
    const module = emptyModule(b, how);
    if (how.target.result.os.tag == .linux) module.addCMacro("_GNU_SOURCE", "1");
    module.addIncludePath(b.path("include")); // the headers for other programs
    module.addCSourceFile(.{ .file = b.path(file), .flags = flagsFor(how) });
    return b.addExecutable(.{ .name = name, .root_module = module });
}

/// Writes down what a command asks the kernel to count. It is for x86-64; elsewhere, its users say so.
pub fn supervisor(b: *Build, sources: Sources) Build.LazyPath {
    const query = Build.parseTargetQuery(.{ .arch_os_abi = "x86_64-linux-musl" }) catch unreachable;
    const how = compiledFor(b, b.resolveTargetQuery(query), .ReleaseSafe, null, sources);
    return standalone(b, how, "supervisor", "tests/perf/supervisor.c").getEmittedBin();
}

/// The same system, without a dynamic linker if the system has static programs.
pub fn staticTarget(b: *Build, target: Build.ResolvedTarget) Build.ResolvedTarget {
    if (target.result.os.tag != .linux) return target;
    return b.resolveTargetQuery(.{ .cpu_arch = target.result.cpu.arch, .os_tag = .linux, .abi = .musl });
}

/// Small programs without dependencies, together in one folder.
pub fn programFolder(b: *Build, target: Build.ResolvedTarget, from: []const u8, names: []const []const u8) Build.LazyPath {
    const how: How = .{
        .target = staticTarget(b, target),
        .optimize = .ReleaseSmall,
        .strip = false, // valgrind recognises a fork by the function's name
    };
    const directory = b.addWriteFiles();
    for (names) |name| {
        const compile = standalone(b, how, name, b.fmt("{s}/{s}.c", .{ from, name }));
        _ = directory.addCopyFile(compile.getEmittedBin(), name);
    }
    return directory.getDirectory();
}

/// lauka for this kind of processor, without a dynamic linker.
pub fn staticLauka(b: *Build, sources: Sources, mode: std.builtin.OptimizeMode) *Compile {
    const target = b.resolveTargetQuery(.{ .cpu_arch = b.graph.host.result.cpu.arch, .os_tag = .linux, .abi = .musl });
    const how = compiledFor(b, target, mode, null, sources);
    return lauka(b, how);
}
