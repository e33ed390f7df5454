//! Which commit this is, as git knows it, or as an archive of the sources has it (build/commit.txt).

const std = @import("std");
const Build = std.Build;

const archived = @embedFile("commit.txt");
const digits = 12; // of a commit's name

var found: ?[]const u8 = null;

/// Twelve digits, with "-dirty" where tracked files differ; "unknown" where nothing tells.
pub fn name(b: *Build) []const u8 {
    if (found == null) found = ofGit(b) orelse ofArchive();
    return found.?;
}

fn ofGit(b: *Build) ?[]const u8 {
    // The checkout's own repository: what else the checkout may lie in says nothing of it.
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

/// `git archive` puts the commit's name into the file.
fn ofArchive() []const u8 {
    const text = std.mem.trim(u8, archived, " \n");
    for (text) |character| if (!std.ascii.isHex(character)) return "unknown";
    return if (text.len >= digits) text[0..digits] else "unknown";
}
