//! liblauka, which other programs link. Both forms export the functions of include/ and nothing else.

const std = @import("std");
const Build = std.Build;
const Compile = Build.Step.Compile;

const compile = @import("compile.zig");
const lists = @import("../files.zig");

pub const Library = struct {
    static: Build.LazyPath, // liblauka.a
    shared: *Compile, // liblauka.so.1 or liblauka.1.dylib
    description: []const u8, // lauka.pc
};

const version_script =
    \\LAUKA_1 {
    \\    global: lauka_*; # of which all but those of the headers are hidden anyway
    \\    local: *;
    \\};
    \\
;

pub fn add(b: *Build, target: Build.ResolvedTarget, sources: compile.Sources) Library {
    const how = compile.compiledForOthers(b, target, sources);
    return .{ .static = static(b, how), .shared = shared(b, how), .description = describe(b, how) };
}

fn shared(b: *Build, how: compile.How) *Compile {
    const module = compile.houseModule(b, how, &.{lists.liblauka});
    const library = b.addLibrary(.{
        .name = "lauka",
        .linkage = .dynamic,
        .version = std.SemanticVersion.parse(compile.version) catch @panic("build.zig.zon: version"),
        .root_module = module,
    });
    compile.linkReport(b, how, library);
    if (how.target.result.os.tag == .linux)
        library.setVersionScript(b.addWriteFiles().add("liblauka.map", version_script));
    return library;
}

/// One object, whose hidden symbols have become local: otherwise every name in a static library could clash
/// with a name in the program. Apple's systems have private names, so there the library stays an archive.
fn static(b: *Build, how: compile.How) Build.LazyPath {
    const object = if (how.target.result.os.tag == .linux) localized(b, how) else null;
    const join = b.addSystemCommand(&.{ b.graph.zig_exe, "ar", if (object == null) "qcsLD" else "qcsD" });
    const archive = join.addOutputFileArg("liblauka.a");
    if (object) |file| {
        join.addFileArg(file);
    } else {
        for (how.folders) |folder| if (isPart(folder.name)) join.addArtifactArg(folder);
        for (how.libraries) |other| if (other.origin == .compiled) join.addArtifactArg(other.origin.compiled);
    }
    return archive;
}

fn isPart(name: []const u8) bool {
    for ([_]lists.Folder{ lists.liblauka, lists.stats, lists.report }) |folder|
        if (std.mem.eql(u8, name, folder.name)) return true;
    return false;
}

fn localized(b: *Build, how: compile.How) Build.LazyPath {
    const link = b.addSystemCommand(&.{ b.graph.zig_exe, "ld.lld", "-r", "-o" });
    const object = link.addOutputFileArg("visible.o");
    for (how.folders) |folder| if (std.mem.eql(u8, folder.name, lists.liblauka.name)) {
        link.addArg("--whole-archive");
        link.addArtifactArg(folder);
        link.addArg("--no-whole-archive"); // from the other archives, only what is needed
    };
    link.addArg("--start-group");
    for (how.folders) |folder| if (isPart(folder.name)) link.addArtifactArg(folder);
    for (how.libraries) |other| switch (other.origin) {
        .compiled => |library| link.addArtifactArg(library),
        .missing => |fail| link.step.dependOn(&fail.step),
        .system => {},
    };
    link.addArg("--end-group");
    const localize = b.addSystemCommand(&.{ "python3", "-B" });
    localize.addFileArg(b.path("build/localize.py"));
    localize.addFileArg(object);
    return localize.addOutputFileArg("lauka.o");
}

/// Paths are relative to the file, so that the whole tree can be moved.
fn describe(b: *Build, how: compile.How) []const u8 {
    var needs: []const u8 = "Requires.private: libcjson zlib\n";
    for (how.libraries) |other| if (other.origin != .system) {
        needs = ""; // the libraries are part of liblauka
    };
    return b.fmt(
        \\prefix=${{pcfiledir}}/../..
        \\includedir=${{prefix}}/include
        \\libdir=${{prefix}}/lib
        \\
        \\Name: lauka
        \\Description: Histograms, comparisons and reports of what programs measure
        \\Version: {s}
        \\Cflags: -I${{includedir}}
        \\Libs: -L${{libdir}} -llauka
        \\Libs.private: -lm -lpthread
        \\{s}
    , .{ compile.version, needs });
}
