//! What `zig build` offers. files.zig lists what is compiled; build/ has the steps, and says how things are
//! compiled.

const std = @import("std");
const Build = std.Build;

const bench = @import("build/bench.zig");
const compile = @import("build/compile.zig");
const dist = @import("build/dist.zig");
const install = @import("build/install.zig");
const lists = @import("files.zig");
const tests = @import("build/tests.zig");
const tools = @import("build/tools.zig");

pub fn build(b: *Build) void {
    const target = b.standardTargetOptions(.{});
    // `zig build run` measures, so lauka is optimised by default. It keeps its assertions and traps
    // undefined behaviour, which costs nothing within the measured time. The unit tests are Debug, so the
    // sanitizer says what is undefined, and where.
    const mode = b.option(std.builtin.OptimizeMode, "optimize", "Debug, ReleaseSafe (default; tests: Debug), ReleaseFast or ReleaseSmall");
    const filter = b.option([]const u8, "filter", "Run only unit and command-line tests with this in their name");
    const again = b.option(bool, "again", "Leave out tests that show nothing new if lauka is compiled in another way") orelse false;
    const strip = b.option(bool, "strip", "Leave debug information out (default: in ReleaseSmall)");
    const sources: compile.Sources = .{
        .csv = b.option([]const u8, "csv-src", "Compile libcsv from this source tree"),
        .cjson = b.option([]const u8, "cjson-src", "Compile cJSON from this source tree"),
        .zlib = b.option([]const u8, "zlib-src", "Compile zlib from this source tree"),
    };
    const how = compile.compiledFor(b, target, mode orelse .ReleaseSafe, strip, sources);
    const built: compile.Built = .{
        .target = target,
        .sources = sources,
        .how = how,
        .checked = compile.compiledFor(b, target, mode orelse .Debug, strip, sources),
        .measured = compile.compiledFor(b, target, .ReleaseFast, strip, sources),
        .exe = compile.lauka(b, how),
        .measured_folder = compile.programFolder(b, target, "tests/cli/programs", &lists.measured_programs),
    };
    install.all(b, built);
    run(b, built);
    tests.steps(b, built, .{ .filter = filter, .again = again });
    bench.steps(b, built);
    tools.steps(b, target, sources);
    dist.steps(b, sources);
}

fn run(b: *Build, built: compile.Built) void {
    const this = b.addRunArtifact(built.exe);
    this.stdio = .inherit;
    if (b.args) |args| this.addArgs(args);
    const run_step = b.step("run", "Run lauka, e.g. zig build run -- CMD CMD; builds the examples too");
    this.step.dependOn(b.getInstallStep()); // so that nothing compiles while lauka measures
    for (lists.examples) |name| {
        const example = compile.standalone(b, built.measured, name, b.fmt("examples/{s}.c", .{name}));
        this.step.dependOn(&b.addInstallArtifact(example, .{}).step);
    }
    run_step.dependOn(&this.step);
}
