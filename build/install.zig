//! What `zig build install` installs besides the program: the library, its headers, the manual pages and
//! the completions.

const std = @import("std");
const Build = std.Build;

const compile = @import("compile.zig");
const library = @import("library.zig");

/// They describe what `lauka --json`, `--answer` and `lauka history --json` write.
const schemas = [_][]const u8{ "schema/lauka-result.schema.json", "schema/lauka-answer.schema.json", "schema/lauka-history.schema.json" };

/// A file, and the path that it is installed to.
pub const Placed = struct { file: Build.LazyPath, at: []const u8 };

pub fn all(b: *Build, built: compile.Built) void {
    b.installArtifact(built.exe);
    const liblauka = library.add(b, built.target, built.sources);
    b.getInstallStep().dependOn(&b.addInstallLibFile(liblauka.static, "liblauka.a").step);
    // A shared library for musl needs musl's loader. Programs that are compiled for musl on another system
    // are static.
    if (!built.target.result.isMuslLibC() or b.graph.host.result.isMuslLibC()) b.installArtifact(liblauka.shared);
    const description = b.addWriteFiles().add("lauka.pc", liblauka.description);
    b.getInstallStep().dependOn(&b.addInstallLibFile(description, "pkgconfig/lauka.pc").step);
    b.installDirectory(.{ .source_dir = b.path(headers), .install_dir = .header, .install_subdir = "" });
    for (shared(b)) |form|
        b.getInstallStep().dependOn(&b.addInstallFile(form.file, form.at).step);
}

/// Headers for other programs; some of them need no library.
pub const headers = "include";

/// Files that belong to the program: the schemas of its JSON, the manual pages and the completions. A
/// program for this machine writes the latter two, whatever the target is.
pub fn shared(b: *Build) []const Placed {
    const how: compile.How = .{ .target = b.graph.host, .optimize = .Debug, .strip = false };
    const module = compile.houseModule(b, how, &.{});
    compile.addOptions(b, module, how);
    module.addCSourceFiles(.{ .files = &.{
        "runner/manual.c",
        "runner/options/table.c",
        "runner/options/help.c",
        "runner/options/completions.c",
    }, .flags = &compile.c_flags });
    const manual = b.addExecutable(.{ .name = "manual", .root_module = module });
    var placed: std.ArrayList(Placed) = .empty;
    for ([_][2][]const u8{
        .{ "man", "share/man/man1/lauka.1" },
        .{ "bash", "share/bash-completion/completions/lauka" },
        .{ "zsh", "share/zsh/site-functions/_lauka" },
        .{ "fish", "share/fish/vendor_completions.d/lauka.fish" },
    }) |form|
        placed.append(b.allocator, written(b, manual, &.{form[0]}, form[1])) catch @panic("OOM");
    for (subcommands) |name|
        placed.append(b.allocator, written(b, manual, &.{ "man", name }, b.fmt("share/man/man1/lauka-{s}.1", .{name}))) catch @panic("OOM");
    for (schemas) |schema|
        placed.append(b.allocator, .{ .file = b.path(schema), .at = b.fmt("share/lauka/{s}", .{schema}) }) catch @panic("OOM");
    return placed.items;
}

/// The subcommands with a manual page; tests/cli/help.py checks that the list is complete.
const subcommands = [_][]const u8{ "why", "noise", "revisions", "keep", "suite", "compare", "report", "gate", "merge", "history", "ci", "list", "threads", "doctor" };

fn written(b: *Build, manual: *Build.Step.Compile, arguments: []const []const u8, at: []const u8) Placed {
    const run = b.addRunArtifact(manual);
    run.addArgs(arguments);
    return .{ .file = run.captureStdOut(.{}), .at = at };
}
