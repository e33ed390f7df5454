//! The commit of these sources, from git, or from the file that an archive of them contains
//! (build/commit.txt).

const std = @import("std");
const Build = std.Build;

const archived = @embedFile("commit.txt");
const digits = 12; // of the commit's name

var found: ?[]const u8 = null;

/// Twelve digits, with "-dirty" if tracked files differ; "unknown" if nobody knows.
pub fn name(b: *Build) []const u8 {
    if (found == null) found = ofGit(b) orelse ofArchive();
    return found.?;
}

fn ofGit(b: *Build) ?[]const u8 {
    // Only the checkout's own repository counts: a repository around the checkout says nothing about it.
    const repository = b.pathFromRoot(".git");
    std.Io.Dir.cwd().access(b.graph.io, repository, .{}) catch return null;
    var code: u8 = undefined;
    const text = b.runAllowFail(&.{
        "git",         "--no-optional-locks", b.fmt("--git-dir={s}", .{repository}), b.fmt("--work-tree={s}", .{b.pathFromRoot(".")}),
        "describe",    "--always",            b.fmt("--abbrev={d}", .{digits}),      "--dirty",
        "--exclude=*",
    }, &code, .ignore) catch return null;
    return std.mem.trim(u8, text, " \n");
}

/// `git archive` writes the commit's name into the file.
fn ofArchive() []const u8 {
    const text = std.mem.trim(u8, archived, " \n");
    for (text) |character| if (!std.ascii.isHex(character)) return "unknown";
    return if (text.len >= digits) text[0..digits] else "unknown";
}
