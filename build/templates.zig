//! Makes C arrays of the files of examples/ci that `lauka ci init` writes.

const std = @import("std");
const Build = std.Build;

const files = [_]struct { []const u8, []const u8 }{
    .{ "lauka_ci_github", @embedFile("../examples/ci/github-workflow.yml") },
    .{ "lauka_ci_github_comment", @embedFile("../examples/ci/github-comment.yml") },
    .{ "lauka_ci_gitlab", @embedFile("../examples/ci/gitlab-job.yml") },
};

var made: ?Build.LazyPath = null;

/// The C file with them.
pub fn source(b: *Build) Build.LazyPath {
    if (made == null) made = b.addWriteFiles().add("ci_templates.c", text(b));
    return made.?;
}

/// Arrays and not strings: compilers need not accept strings of this length.
fn text(b: *Build) []const u8 {
    var c: std.ArrayList(u8) = .empty;
    c.appendSlice(b.allocator, "/* Made from examples/ci by build/templates.zig. */\n#include \"runner/subcommands/subcommands.h\"\n") catch @panic("OOM");
    for (files) |file| {
        c.print(b.allocator, "\nconst char {s}[] = {{", .{file[0]}) catch @panic("OOM");
        for (file[1], 0..) |byte, i|
            c.print(b.allocator, "{s}{d},", .{ if (i % 30 == 0) "\n" else " ", byte }) catch @panic("OOM");
        c.appendSlice(b.allocator, " 0};\n") catch @panic("OOM");
    }
    return c.items;
}
