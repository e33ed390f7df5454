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
        const run = b.addRunArtifact(manual);
        run.addArg(form[0]);
        const file = b.addInstallFile(run.captureStdOut(.{}), form[1]);
        b.getInstallStep().dependOn(&file.step);
    }
}
