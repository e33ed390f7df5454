//! Some tests run the code for macOS on this machine, with the simulated Mac of this folder.

const std = @import("std");
const Build = std.Build;
const lists = @import("../../files.zig");

/// A test, and the libraries whose paths it gets as arguments.
pub const Program = struct { program: *Build.Step.Compile, libraries: [2]*Build.Step.Compile };

/// tests/unit/NAME.c, and the code of runner/ that it tests; redirected: compiled with process.h, in place of what would touch
/// the real system.
pub const Subject = struct { name: []const u8, redirected: []const []const u8 = &.{}, runner: []const []const u8 = &.{} };
pub const subjects = [_]Subject{
    .{ .name = "pmu/kperf" },
    .{ .name = "pmu/mac_refusals" },
    .{ .name = "pmu/mac_probe" },
    .{ .name = "pmu/kdebug" },
    .{
        .name = "runner/mac_process",
        .redirected = &.{ "runner/launch/macos/process.c", "runner/launch/macos/leftovers.c", "runner/base/macos/clock.c", "runner/base/processes.c" },
        .runner = &lists.simulated_launcher,
    },
    .{
        .name = "runner/mac_machine",
        .redirected = &.{ "runner/machine/macos/findings.c", "runner/base/macos/clock.c", "runner/base/processes.c" },
        .runner = &.{ "runner/machine/finding.c", "runner/machine/selftest.c" },
    },
    .{ .name = "region/region_mac" },
    .{ .name = "region/micro_mac" },
};

/// makeModule, linkReport, how and flags come from build/. code: all of pmu/ that a Mac would run. The tests
/// of runner/ have the code of runner/ that a Mac would run, and report/.
pub fn add(b: *Build, makeModule: anytype, linkReport: anytype, how: anytype, flags: []const []const u8, code: []const []const u8) [subjects.len]Program {
    const library = struct {
        fn library(o: *Build, make: anytype, h: anytype, f: []const []const u8, name: []const u8, files: []const []const u8) *Build.Step.Compile {
            const module = make(o, h, &.{});
            module.addCSourceFiles(.{ .files = files, .flags = f });
            return o.addLibrary(.{ .name = name, .linkage = .dynamic, .root_module = module });
        }
    }.library;
    const mac = library(b, makeModule, how, flags, "fakemac", &.{
        "tests/fakes/fake_mac.c", "tests/fakes/fake_trace.c", "tests/fakes/fake_work.c", "pmu/apple/chip.c",
    });
    const kperf = library(b, makeModule, how, flags, "fakekperf", &.{"tests/fakes/fake_kperf.c"});
    const kperfdata = library(b, makeModule, how, flags, "fakekperfdata", &.{ "tests/fakes/fake_kpep.c", "pmu/apple/chip.c" });
    kperf.root_module.linkLibrary(mac);
    kperfdata.root_module.linkLibrary(mac);
    const headers = std.mem.concat(b.allocator, []const u8, &.{
        flags, &.{ "-I", b.pathFromRoot("tests/fakes/include") },
    }) catch @panic("OOM");
    const of_macos = std.mem.concat(b.allocator, []const u8, &.{
        headers, &.{ "-include", b.pathFromRoot("tests/fakes/process.h") },
    }) catch @panic("OOM");
    var programs: [subjects.len]Program = undefined;
    for (&programs, subjects) |*program, subject| {
        const module = makeModule(b, how, &.{});
        module.addCSourceFiles(.{ .files = code, .flags = flags });
        module.addCSourceFiles(.{ .files = subject.redirected, .flags = of_macos });
        module.addCSourceFiles(.{ .files = subject.runner, .flags = flags });
        if (subject.redirected.len > 0) module.addCSourceFile(.{ .file = b.path("tests/fakes/fake_process.c"), .flags = headers });
        module.addCSourceFile(.{ .file = b.path(b.fmt("tests/unit/{s}.c", .{subject.name})), .flags = flags });
        module.linkLibrary(mac);
        program.* = .{
            .program = b.addExecutable(.{ .name = b.fmt("test_{s}", .{std.fs.path.basename(subject.name)}), .root_module = module }),
            .libraries = .{ kperf, kperfdata },
        };
        if (subject.runner.len > 0) linkReport(b, how, program.program);
    }
    return programs;
}
