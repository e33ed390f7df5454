//! Steps for developers: formatting, compile_commands.json, other systems.

const std = @import("std");
const Build = std.Build;
const Compile = Build.Step.Compile;

const compile = @import("compile.zig");
const library = @import("library.zig");
const options = @import("options.zig");
const lists = @import("../files.zig");

const check_targets = [_][]const u8{
    "aarch64-macos", "x86_64-macos", "aarch64-linux-musl", "x86_64-linux-musl",
};
/// Its headers deprecate functions that older systems need. lauka must compile with them, too.
const newest_macos = "aarch64-macos.26.0";

pub fn steps(b: *Build, target: Build.ResolvedTarget, sources: compile.Sources) void {
    const formatter = b.option([]const u8, "clang-format", "Path of clang-format, for C files (zigw installs it)");
    const fmt_step = b.step("fmt", "Format all C and Zig files");
    const fmt_check_step = b.step("fmt-check", "Fail if a file is not formatted");
    for ([_]*Build.Step{ fmt_step, fmt_check_step }, [_]bool{ false, true }) |step, check| {
        step.dependOn(&b.addFmt(.{ .paths = &.{ "build.zig", "build", "files.zig", "build.zig.zon", "tests/fakes" }, .check = check }).step);
        step.dependOn(clangFormat(b, formatter, check));
    }
    const commands_step = b.step("compile-commands", "Write compile_commands.json, for clangd and other readers of C");
    commands_step.dependOn(compileCommands(b, target.result.os.tag));

    const check_step = b.step("check", "Build everything for every supported system: zig-out/check/SYSTEM/");
    for (check_targets) |name| check_step.dependOn(crossBuild(b, name, sources));
    check_step.dependOn(crossBuild(b, newest_macos, sources));
}

/// lauka, the examples and the test programs for another system, linked as for a release; for the newest
/// macOS, only lauka.
fn crossBuild(b: *Build, name: []const u8, sources: compile.Sources) *Build.Step {
    const query = Build.parseTargetQuery(.{ .arch_os_abi = name }) catch @panic("check_targets");
    const how = compile.compiledFor(b, b.resolveTargetQuery(query), .ReleaseSmall, null, sources);
    const step = b.step(b.fmt("check-{s}", .{name}), b.fmt("Build everything for {s} only", .{name}));
    const install = struct {
        fn add(s: *Build.Step, program: *Compile, system: []const u8) void {
            s.dependOn(&s.owner.addInstallArtifact(program, .{
                .dest_dir = .{ .override = .{ .custom = s.owner.fmt("check/{s}", .{system}) } },
            }).step);
        }
    }.add;
    install(step, compile.lauka(b, how), name);
    if (std.mem.eql(u8, name, newest_macos)) return step;
    for (lists.examples) |example|
        install(step, compile.standalone(b, how, example, b.fmt("examples/{s}.c", .{example})), name);
    for (lists.own_programs) |example|
        install(step, compile.standalone(b, how, example, b.fmt("examples/own/{s}.c", .{example})), name);
    const liblauka = library.add(b, how.target, sources);
    install(step, liblauka.shared, name);
    for (lists.library_programs) |example| {
        const program = compile.standalone(b, how, example, b.fmt("examples/own/{s}.c", .{example}));
        program.root_module.addObjectFile(liblauka.static);
        install(step, program, name);
    }
    for (lists.tests) |t| if (compile.isFor(t, how.target)) install(step, compile.unitTest(b, how, t), name);
    return step;
}

fn clangFormat(b: *Build, formatter: ?[]const u8, check: bool) *Build.Step {
    const path = formatter orelse return &b.addFail("pass -Dclang-format=PATH, or build with ./zigw").step;
    const how = if (check) "--dry-run -Werror" else "-i";
    const run = b.addSystemCommand(&.{ "sh", "-c", b.fmt(
        "find stats pmu report runner liblauka include tests examples -name '*.[ch]' -exec \"$0\" {s} {{}} +",
        .{how},
    ), path });
    run.setCwd(b.path("."));
    run.has_side_effects = true;
    return &run.step;
}

/// For readers of C: headers that only the build has otherwise.
const made = ".zig-cache/made";

/// Covers lauka's own files, its unit tests and its benchmarks. Files for macOS use the headers of the fake
/// one.
fn compileCommands(b: *Build, os: std.Target.Os.Tag) *Build.Step {
    const Command = struct { directory: []const u8, file: []const u8, arguments: []const []const u8 };
    var commands: std.ArrayList(Command) = .empty;
    var arguments: std.ArrayList([]const u8) = .empty;
    arguments.append(b.allocator, "cc") catch @panic("OOM");
    arguments.appendSlice(b.allocator, &compile.c_flags) catch @panic("OOM");
    arguments.appendSlice(b.allocator, &.{ "-I.", "-Itests/fakes/include", "-I" ++ made }) catch @panic("OOM");
    for (compile.macros(os)) |macro|
        arguments.append(b.allocator, b.fmt("-D{s}={s}", .{ macro[0], macro[1] })) catch @panic("OOM");
    for (compile.build_macros) |macro|
        arguments.append(b.allocator, b.fmt("-D{s}=\"?\"", .{macro})) catch @panic("OOM");
    var files: std.ArrayList([]const u8) = .empty;
    for (compile.house) |folder|
        for ([_][]const []const u8{ folder.portable, folder.linux, folder.macos }) |list|
            files.appendSlice(b.allocator, list) catch @panic("OOM");
    files.appendSlice(b.allocator, &.{ "runner/main.c", "runner/build.c", "runner/launcher_program.c", "runner/launch/linux/launcher_main.c" }) catch @panic("OOM");
    for (lists.tests) |t| files.append(b.allocator, b.fmt("tests/unit/{s}.c", .{t.name})) catch @panic("OOM");
    for (lists.benchmarks) |t| files.append(b.allocator, b.fmt("tests/bench/{s}.c", .{t.name})) catch @panic("OOM");
    for (files.items) |file| commands.append(b.allocator, .{
        .directory = b.pathFromRoot("."),
        .file = file,
        .arguments = std.mem.concat(b.allocator, []const u8, &.{ arguments.items, &.{ "-c", file } }) catch @panic("OOM"),
    }) catch @panic("OOM");
    const text = std.json.Stringify.valueAlloc(b.allocator, commands.items, .{ .whitespace = .indent_1 }) catch @panic("OOM");
    const update = b.addUpdateSourceFiles();
    update.addBytesToSource(text, "compile_commands.json");
    update.addCopyFileToSource(options.folder(b).path(b, options.header), made ++ "/" ++ options.header);
    return &update.step;
}
