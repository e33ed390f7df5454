//! What `zig build install` installs beside the program: the library, its headers, the manual page and the completions.

const std = @import("std");
const Build = std.Build;

const compile = @import("compile.zig");
const lists = @import("../files.zig");

/// What `lauka --json` writes, for those who read it.
const schema = "schema/lauka-result.schema.json";

pub fn all(b: *Build, built: compile.Built) void {
    liblauka(b, built.how);
    b.installArtifact(built.exe);
    b.getInstallStep().dependOn(&b.addInstallFileWithDir(b.path(schema), .prefix, "share/lauka/" ++ schema).step);
    for (lists.examples) |name|
        b.installArtifact(compile.standalone(b, built.measured, name, b.fmt("examples/{s}.c", .{name})));
    forms(b);
    for (built.how.libraries) |l| if (l.origin == .compiled) b.installArtifact(l.origin.compiled);
}

/// liblauka.a: the members of the folders' archives, all but main.c; and its headers.
fn liblauka(b: *Build, how: compile.How) void {
    const join = b.addSystemCommand(&.{ b.graph.zig_exe, "ar", "qcsL" });
    const lib = join.addOutputFileArg("liblauka.a");
    for (how.folders) |archive| join.addArtifactArg(archive);
    b.getInstallStep().dependOn(&b.addInstallLibFile(lib, "liblauka.a").step);
    b.installDirectory(.{ .source_dir = b.path("include"), .install_dir = .header, .install_subdir = "" });
    for (lists.headers) |header|
        b.getInstallStep().dependOn(&b.addInstallHeaderFile(b.path(header), b.fmt("lauka/{s}", .{header})).step);
}

/// The manual page and the completions: written by a program of this machine, whatever the target.
fn forms(b: *Build) void {
    const module = compile.houseModule(b, .{
        .target = b.graph.host,
        .optimize = .Debug,
        .strip = false,
    }, &.{});
    module.addCSourceFiles(.{ .files = &.{
        "runner/manual.c",
        "runner/options/table.c",
        "runner/options/help.c",
        "runner/options/topics.c",
        "runner/options/forms.c",
        "runner/options/man.c",
        "runner/options/completions.c",
    }, .flags = &compile.c_flags });
    const manual = b.addExecutable(.{ .name = "manual", .root_module = module });
    for ([_][2][]const u8{
        .{ "man", "share/man/man1/lauka.1" },
        .{ "bash", "share/bash-completion/completions/lauka" },
        .{ "zsh", "share/zsh/site-functions/_lauka" },
        .{ "fish", "share/fish/vendor_completions.d/lauka.fish" },
    }) |form| {
        installForm(b, manual, &.{form[0]}, form[1]);
    }
    for (subcommands) |name|
        installForm(b, manual, &.{ "man", name }, b.fmt("share/man/man1/lauka-{s}.1", .{name}));
}

/// Those that have a manual page; tests/cli/help.py knows whether all of them are here.
const subcommands = [_][]const u8{ "noise", "revisions", "suite", "compare", "report", "gate", "list", "threads", "doctor" };

fn installForm(b: *Build, manual: *Build.Step.Compile, arguments: []const []const u8, path: []const u8) void {
    const run = b.addRunArtifact(manual);
    run.addArgs(arguments);
    const file = b.addInstallFile(run.captureStdOut(.{}), path);
    b.getInstallStep().dependOn(&file.step);
}
