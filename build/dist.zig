//! The packages of a release: zig-out/dist. Programs and libraries are compiled here, and packaging/ makes
//! packages of them.

const std = @import("std");
const Build = std.Build;

const commit = @import("commit.zig");
const compile = @import("compile.zig");
const install = @import("install.zig");
const library = @import("library.zig");

/// The same as tools.check_targets: what is released is what is checked.
const programs = [_][]const u8{
    "x86_64-linux-musl", "aarch64-linux-musl", "x86_64-macos", "aarch64-macos",
};
/// The systems whose liblauka is packaged, and the names of their folders. It runs with this version of
/// glibc and later ones.
const libraries = [_][2][]const u8{
    .{ "x86_64-linux-gnu.2.28", "x86_64-linux-gnu" },
    .{ "aarch64-linux-gnu.2.28", "aarch64-linux-gnu" },
};
/// The formula downloads from here unless -Ddist-address is given. OWNER is a placeholder, and
/// packaging/brew.py warns about it.
const address = "https://github.com/OWNER/lauka/releases/download/v{version}";

pub fn steps(b: *Build, sources: compile.Sources) void {
    const where = b.option([]const u8, "dist-address", "Address of the packages, with {version} in it, for the Homebrew formula");
    const only = b.option([]const u8, "dist-only", "Make packages for these systems only, e.g. x86_64-linux,aarch64-macos");
    const dist = b.step("dist", "Make all packages: zig-out/dist (Debian: dpkg, rpm)");
    const pack = b.addSystemCommand(&.{ "python3", "-B", "packaging/dist.py" });
    const staged = stage(b, sources, only orelse "");
    pack.addDirectoryArg(staged);
    const out = b.getInstallPath(.{ .custom = "dist" }, "");
    pack.addArgs(&.{ out, "--address", where orelse address });
    addLibraries(b, pack, sources);
    pack.setCwd(b.path("."));
    pack.has_side_effects = true;
    pack.stdio = .inherit;
    dist.dependOn(&pack.step);

    const step = b.step("test-packages", "Install every kind of package, use it, remove it (Debian: dpkg, rpm, npm, zsh, fish ...)");
    const packages = b.addSystemCommand(&.{ "python3", "-B", "tests/packages/run.py", out });
    packages.addDirectoryArg(staged);
    addLibraries(b, packages, sources);
    packages.setCwd(b.path("."));
    packages.stdio = .inherit;
    packages.step.dependOn(&pack.step);
    if (b.args) |args| packages.addArgs(args);
    step.dependOn(&packages.step);
}

fn addLibraries(b: *Build, run: *Build.Step.Run, sources: compile.Sources) void {
    for (trees(sources)) |tree|
        run.addArg(b.fmt("--library={s}={s}", .{ tree.name, tree.folder orelse "" }));
}

const Tree = struct { name: []const u8, folder: ?[]const u8, licence: []const u8, header: []const u8 };

fn trees(sources: compile.Sources) [3]Tree {
    return .{
        .{ .name = "libcsv", .folder = sources.csv, .licence = "COPYING.LESSER", .header = "csv.h" },
        .{ .name = "cJSON", .folder = sources.cjson, .licence = "LICENSE", .header = "cJSON.h" },
        .{ .name = "zlib", .folder = sources.zlib, .licence = "LICENSE", .header = "zlib.h" },
    };
}

/// A folder with everything that the packages are made of.
fn stage(b: *Build, sources: compile.Sources, only: []const u8) Build.LazyPath {
    const directory = b.addWriteFiles();
    for (programs) |name| {
        if (!isWanted(only, name)) continue;
        const how = compile.compiledFor(b, targetOf(b, name), .ReleaseSmall, null, sources);
        _ = directory.addCopyFile(compile.lauka(b, how).getEmittedBin(), b.fmt("programs/{s}/lauka", .{name}));
    }
    for (libraries) |for_system| {
        if (!isWanted(only, for_system[1])) continue;
        const liblauka = library.add(b, targetOf(b, for_system[0]), sources);
        _ = directory.addCopyFile(liblauka.static, b.fmt("libraries/{s}/liblauka.a", .{for_system[1]}));
        _ = directory.addCopyFile(liblauka.shared.getEmittedBin(), b.fmt("libraries/{s}/liblauka.so", .{for_system[1]}));
    }
    _ = directory.addCopyDirectory(b.path(install.headers), "include", .{});
    for (install.shared(b)) |form| _ = directory.addCopyFile(form.file, form.at);
    for (trees(sources)) |tree| {
        const source: Build.LazyPath = .{ .cwd_relative = tree.folder orelse continue };
        _ = directory.addCopyFile(source.path(b, tree.licence), b.fmt("licences/{s}", .{tree.name}));
        _ = directory.addCopyFile(source.path(b, tree.header), b.fmt("headers/{s}", .{tree.header}));
    }
    const musl = b.pathJoin(&.{ b.graph.zig_lib_directory.path orelse ".", "libc", "musl", "COPYRIGHT" });
    _ = directory.addCopyFile(.{ .cwd_relative = musl }, "licences/musl");
    _ = directory.add("facts.json", b.fmt(
        \\{{"version": "{s}", "commit": "{s}", "musl": "{s}"}}
        \\
    , .{ compile.version, commit.name(b), compile.musl_version }));
    return directory.getDirectory();
}

/// only: a list of ARCH-SYSTEM, separated by commas; empty: all of them.
fn isWanted(only: []const u8, name: []const u8) bool {
    var words = std.mem.tokenizeScalar(u8, only, ',');
    while (words.next()) |word| if (std.mem.startsWith(u8, name, word)) return true;
    return only.len == 0;
}

fn targetOf(b: *Build, name: []const u8) Build.ResolvedTarget {
    return b.resolveTargetQuery(Build.parseTargetQuery(.{ .arch_os_abi = name }) catch @panic("dist: a target's name"));
}
