//! tests/test_kperf.c: the code of macOS, on this machine, against the simulated Mac of this folder.

const std = @import("std");
const Build = std.Build;

/// makeModule, how and flags are the house's; code: all that a Mac would run of pmu/.
pub fn add(b: *Build, makeModule: anytype, how: anytype, flags: []const []const u8, code: []const []const u8) *Build.Step.Run {
    const library = struct {
        fn library(o: *Build, make: anytype, h: anytype, f: []const []const u8, name: []const u8, files: []const []const u8) *Build.Step.Compile {
            const module = make(o, h, &.{});
            module.addCSourceFiles(.{ .files = files, .flags = f });
            return o.addLibrary(.{ .name = name, .linkage = .dynamic, .root_module = module });
        }
    }.library;
    const mac = library(b, makeModule, how, flags, "fakemac", &.{
        "tests/fakes/fake_mac.c", "tests/fakes/fake_trace.c", "tests/fakes/fake_work.c", "pmu/apple_chip.c",
    });
    const kperf = library(b, makeModule, how, flags, "fakekperf", &.{"tests/fakes/fake_kperf.c"});
    const kperfdata = library(b, makeModule, how, flags, "fakekperfdata", &.{ "tests/fakes/fake_kpep.c", "pmu/apple_chip.c" });
    kperf.root_module.linkLibrary(mac);
    kperfdata.root_module.linkLibrary(mac);
    const module = makeModule(b, how, &.{});
    module.addCSourceFiles(.{ .files = code, .flags = flags });
    module.addCSourceFile(.{ .file = b.path("tests/test_kperf.c"), .flags = flags });
    module.linkLibrary(mac);
    const run = b.addRunArtifact(b.addExecutable(.{ .name = "test_kperf", .root_module = module }));
    run.addArtifactArg(kperf);
    run.addArtifactArg(kperfdata);
    return run;
}
