//! Makes the table of options in C, and the header with their numbers, from runner/options/options.txt, whose head says
//! what may stand there.

const std = @import("std");
const Build = std.Build;

const data = @embedFile("../runner/options/options.txt");

var made: ?*Build.Step.WriteFile = null;
var table: Build.LazyPath = undefined;

/// A folder with `header`, to include from.
pub fn folder(b: *Build) Build.LazyPath {
    if (made == null) {
        made = b.addWriteFiles();
        table = made.?.add("option_rows.c", text(b));
        _ = made.?.add(header, numbers(b));
    }
    return made.?.getDirectory();
}

pub const header = "runner/options/numbers.h";

/// The C file with lauka_option_rows and lauka_verb_rows.
pub fn source(b: *Build) Build.LazyPath {
    _ = folder(b);
    return table;
}

fn numbers(b: *Build) []const u8 {
    var options: std.ArrayList(u8) = .empty;
    var groups: std.ArrayList(u8) = .empty;
    var next: usize = 256; // of those without a letter
    var lines = std.mem.tokenizeScalar(u8, data, '\n');
    while (lines.next()) |line| {
        if (after(line, "group ")) |words| groups.print(b.allocator, "    OPTION_GROUP_{s},\n", .{upper(b, halves(words, ": ")[0])}) catch @panic("OOM");
        if (line[0] != '-' or std.mem.indexOf(u8, idOf(b, line), " + ") != null) continue;
        if (line[1] != '-') {
            options.print(b.allocator, "    {s} = '{c}',\n", .{ constant(b, line), line[1] }) catch @panic("OOM");
        } else {
            options.print(b.allocator, "    {s} = {d},\n", .{ constant(b, line), next }) catch @panic("OOM");
            next += 1;
        }
    }
    return b.fmt(
        \\/* Made from runner/options/options.txt by build/options.zig. */
        \\#ifndef LAUKA_RUNNER_OPTIONS_NUMBERS_H
        \\#define LAUKA_RUNNER_OPTIONS_NUMBERS_H
        \\
        \\/* By its letter, or from 256 on. */
        \\enum option_id {{
        \\{s}    OPTION_DOCUMENT = 1024, /* add an enum lauka_document */
        \\    OPTION_EXPORT = 1280, /* the same under hyperfine's names */
        \\}};
        \\
        \\/* The heading under which the help shows the option. */
        \\enum option_group {{
        \\{s}    OPTION_GROUPS /* number of groups */
        \\}};
        \\
        \\#endif
        \\
    , .{ options.items, groups.items });
}

/// OPTION_MAX_TIME of "--max-time T".
fn constant(b: *Build, head: []const u8) []const u8 {
    const name = if (nameOf(head).len > 0) nameOf(head) else "brief-help";
    return b.fmt("OPTION_{s}", .{std.mem.replaceOwned(u8, b.allocator, upper(b, name), "-", "_") catch @panic("OOM")});
}

fn text(b: *Build) []const u8 {
    const arena = b.allocator;
    var options: std.ArrayList(u8) = .empty;
    var verbs: std.ArrayList(u8) = .empty;
    var groups: std.ArrayList(u8) = .empty;
    var foreign: std.ArrayList(u8) = .empty;
    var examples: std.ArrayList(u8) = .empty;
    var exits: std.ArrayList(u8) = .empty;
    var summary: []const u8 = "";
    var description: []const u8 = "";
    var group: []const u8 = "";
    var blocks = std.mem.splitSequence(u8, data, "\n\n");
    while (blocks.next()) |block| {
        var lines = std.mem.tokenizeScalar(u8, block, '\n');
        const head = lines.next() orelse continue;
        if (head[0] == '#') continue;
        if (head[0] == '-') {
            options.appendSlice(arena, option(b, head, group, &lines)) catch @panic("OOM");
        } else if (after(head, "subcommand ")) |words| {
            verbs.appendSlice(arena, verb(b, words, &lines)) catch @panic("OOM");
        } else if (after(head, "group ")) |words| {
            group, const heading = halves(words, ": ");
            const name, const about = halves(std.mem.trim(u8, lines.next().?, " "), ": ");
            groups.print(arena, "    [OPTION_GROUP_{s}] = {{\"{s}\", \"{s}\", \"{s}\"}},\n", .{ upper(b, group), heading, name, about }) catch @panic("OOM");
        } else if (std.mem.eql(u8, head, "summary")) {
            summary = paragraph(b, &lines);
        } else if (std.mem.eql(u8, head, "description")) {
            description = paragraph(b, &lines);
        } else if (std.mem.eql(u8, head, "examples")) {
            while (lines.next()) |line| {
                const about, const words = halves(std.mem.trim(u8, line, " "), ": ");
                examples.print(arena, "    {{{s}, {s}}},\n", .{ quoted(b, words), quoted(b, about) }) catch @panic("OOM");
            }
        } else if (std.mem.eql(u8, head, "exit codes")) {
            while (lines.next()) |line| {
                const code, const about = halves(std.mem.trim(u8, line, " "), ": ");
                exits.print(arena, "    {{{s}, {s}}},\n", .{ quoted(b, code), quoted(b, about) }) catch @panic("OOM");
            }
        } else if (after(head, "words of ")) |tool| {
            while (lines.next()) |line| foreign.appendSlice(arena, foreignRows(b, tool, line)) catch @panic("OOM");
        } else wrong(head);
    }
    return b.fmt(
        \\/* Made from runner/options/options.txt by build/options.zig. */
        \\#include "runner/options/table.h"
        \\#include "runner/options.h"
        \\
        \\#include <getopt.h>
        \\#include <stddef.h>
        \\
        \\const struct option_row lauka_option_rows[] = {{
        \\{s}}};
        \\const size_t lauka_option_count = sizeof lauka_option_rows / sizeof *lauka_option_rows;
        \\
        \\const struct option_group_row lauka_option_groups[OPTION_GROUPS] = {{
        \\{s}}};
        \\
        \\const struct verb_row lauka_verb_rows[] = {{
        \\{s}}};
        \\const size_t lauka_verb_count = sizeof lauka_verb_rows / sizeof *lauka_verb_rows;
        \\
        \\const struct foreign_row lauka_foreign_rows[] = {{
        \\{s}}};
        \\const size_t lauka_foreign_count = sizeof lauka_foreign_rows / sizeof *lauka_foreign_rows;
        \\
        \\const char *const lauka_summary = {s}, *const lauka_description = {s};
        \\
        \\const struct help_example lauka_examples[] = {{
        \\{s}}};
        \\const size_t lauka_example_count = sizeof lauka_examples / sizeof *lauka_examples;
        \\
        \\const struct help_exit lauka_exits[] = {{
        \\{s}}};
        \\const size_t lauka_exit_count = sizeof lauka_exits / sizeof *lauka_exits;
        \\
    , .{ options.items, groups.items, verbs.items, foreign.items, summary, description, examples.items, exits.items });
}

const Lines = std.mem.TokenIterator(u8, .scalar);

fn option(b: *Build, head: []const u8, group: []const u8, lines: *Lines) []const u8 {
    const name = nameOf(head);
    const behind = if (name.len > 0) head[std.mem.indexOf(u8, head, "--").? + 2 + name.len ..] else "";
    const argument = if (behind.len == 0) "no" else if (behind[0] == ' ') "required" else "optional";
    const placeholder = std.mem.trim(u8, behind, " [=]");
    var attributes: std.ArrayList(u8) = .empty;
    var words = std.mem.splitSequence(u8, std.mem.trim(u8, lines.next().?, " "), "; ");
    while (words.next()) |attribute| attributes.appendSlice(b.allocator, member(b, attribute)) catch @panic("OOM");
    return b.fmt("    {{.id = {s}, .group = OPTION_GROUP_{s}, .name = {s}, .argument = {s}_argument, .placeholder = {s},\n" ++
        "     .help = {s},\n    {s}}},\n", .{ idOf(b, head), upper(b, group), quoted(b, name), argument, quoted(b, placeholder), paragraph(b, lines), attributes.items });
}

/// What a kind of option stores: its name here, in C, and the type of its member.
const kinds = [_]struct { []const u8, []const u8, []const u8 }{
    .{ "flag", "FLAG", "bool" },                 .{ "count", "COUNT", "uint64_t" },
    .{ "duration", "DURATION", "uint64_t" },     .{ "milliseconds", "MILLISECONDS", "uint64_t" },
    .{ "percent", "PERCENT", "double" },         .{ "text", "TEXT", "const char *" },
    .{ "texts", "TEXTS", "struct lauka_texts" }, .{ "choice", "CHOICE", "default" },
};

/// The members of a row that an attribute sets.
fn member(b: *Build, attribute: []const u8) []const u8 {
    const word, const rest = halves(attribute, " ");
    for (kinds) |kind| if (std.mem.eql(u8, word, kind[0])) {
        const place, const more = halves(rest, " ");
        const further = if (after(more, "from ")) |least| b.fmt(" .least = {s},", .{least}) else //
            if (after(more, "of ")) |choices| b.fmt(" .words = \"{s}\",", .{choices}) else "";
        return b.fmt(" .kind = KIND_{s}, .member = _Generic(((struct lauka_options *)0)->{s}, {s} : offsetof(struct lauka_options, {s})),{s}", .{ kind[1], place, kind[2], place, further });
    };
    if (std.mem.eql(u8, word, "document") or std.mem.eql(u8, word, "export"))
        return b.fmt(" .kind = KIND_FILE, .member = offsetof(struct lauka_options, write.outputs[LAUKA_DOCUMENT_{s}]),", .{rest});
    if (std.mem.eql(u8, word, "for")) return b.fmt(" .verbs = {s},", .{verbsOf(b, rest)});
    if (std.mem.eql(u8, word, "each") or std.mem.eql(u8, word, "asked")) return b.fmt(" .kind = KIND_{s},", .{upper(b, word)});
    if (std.mem.eql(u8, word, "words")) return b.fmt(" .words = \"{s}\",", .{rest});
    if (std.mem.eql(u8, word, "always")) return b.fmt(" .fixed = \"{s}\",", .{rest});
    if (std.mem.eql(u8, word, "default"))
        return b.fmt(" .standard = {s},", .{if (std.mem.startsWith(u8, rest, "LAUKA_")) rest else quoted(b, rest)});
    if (after(attribute, "recorded unless ")) |name| return b.fmt(" .told_unless = {s},", .{idOf(b, headOf(name))});
    if (std.mem.eql(u8, attribute, "may be empty")) return " .may_be_empty = true,";
    if (std.mem.eql(u8, word, "harmless") or std.mem.eql(u8, word, "own")) return b.fmt(" .{s} = true,", .{word});
    wrong(attribute);
}

const runs = "run noise why revisions";
/// Names of several subcommands.
const several = [_][2][]const u8{
    .{ "runs", runs },
    .{ "measures", runs ++ " suite" },
    .{ "compare", "compare gate" },
    .{ "writes", runs ++ " suite compare gate merge report" },
    .{ "asks", "list threads doctor" },
};

fn verbsOf(b: *Build, names: []const u8) []const u8 {
    var bits: std.ArrayList(u8) = .empty;
    var words = std.mem.tokenizeScalar(u8, names, ' ');
    next: while (words.next()) |name| {
        if (std.mem.eql(u8, name, "every")) return "~0u";
        for (several) |one| if (std.mem.eql(u8, name, one[0]) and !std.mem.eql(u8, names, one[1])) {
            bits.print(b.allocator, "{s} | ", .{verbsOf(b, one[1])}) catch @panic("OOM");
            continue :next;
        };
        bits.print(b.allocator, "1u << LAUKA_VERB_{s} | ", .{upper(b, name)}) catch @panic("OOM");
    }
    return b.fmt("({s}0u)", .{bits.items});
}

fn verb(b: *Build, words: []const u8, lines: *Lines) []const u8 {
    const name, const arguments = halves(words, " ");
    const help = std.mem.trim(u8, lines.next().?, " ");
    const about = paragraph(b, lines);
    var examples: std.ArrayList(u8) = .empty;
    while (lines.next()) |line|
        examples.print(b.allocator, "{s}, ", .{quoted(b, after(std.mem.trim(u8, line, " "), "$ ") orelse wrong(line))}) catch @panic("OOM");
    return b.fmt("    {{LAUKA_VERB_{s}, \"{s}\", \"{s}\", {s},\n     {s},\n     {{{s}}}}},\n", .{ upper(b, name), name, arguments, quoted(b, help), about, examples.items });
}

/// A row for each word of a line.
fn foreignRows(b: *Build, tool: []const u8, line: []const u8) []const u8 {
    var rows: std.ArrayList(u8) = .empty;
    const names, const advice = halves(std.mem.trim(u8, line, " "), ": ");
    const reason = after(advice, "nothing: ");
    var words = std.mem.tokenizeScalar(u8, names, ' ');
    while (words.next()) |word|
        rows.print(b.allocator, "    {{\"{s}\", \"{s}\", {s}, {}, {}}},\n", .{
            std.mem.trimStart(u8, word, "!"), tool, quoted(b, reason orelse advice), reason != null, word[0] == '!',
        }) catch @panic("OOM");
    return rows.items;
}

/// Lines up to an example, as one text.
fn paragraph(b: *Build, lines: *Lines) []const u8 {
    var words: std.ArrayList(u8) = .empty;
    while (lines.peek()) |line| {
        const own = std.mem.trim(u8, line, " ");
        if (std.mem.startsWith(u8, own, "$ ")) break;
        _ = lines.next();
        words.print(b.allocator, "{s}{s}", .{ if (words.items.len > 0) " " else "", own }) catch @panic("OOM");
    }
    return quoted(b, words.items);
}

/// "max-time" of "--max-time T"; empty where there is a letter only.
fn nameOf(head: []const u8) []const u8 {
    const dashes = std.mem.indexOf(u8, head, "--") orelse return "";
    const rest = head[dashes + 2 ..];
    return rest[0 .. std.mem.indexOfAny(u8, rest, " [") orelse rest.len];
}

/// The head of the option with that name.
fn headOf(name: []const u8) []const u8 {
    var lines = std.mem.tokenizeScalar(u8, data, '\n');
    while (lines.next()) |line| if (line[0] == '-' and std.mem.eql(u8, nameOf(line), name)) return line;
    wrong(name);
}

/// The option's letter, or what its attributes say.
fn idOf(b: *Build, head: []const u8) []const u8 {
    if (head[1] != '-') return b.fmt("'{c}'", .{head[1]});
    const begin = std.mem.indexOf(u8, data, b.fmt("\n{s}\n", .{head})).? + head.len + 2;
    const line = std.mem.trim(u8, data[begin .. begin + std.mem.indexOfScalar(u8, data[begin..], '\n').?], " ");
    var words = std.mem.splitSequence(u8, line, "; ");
    while (words.next()) |attribute| {
        if (after(attribute, "document ")) |name| return b.fmt("OPTION_DOCUMENT + (int)LAUKA_DOCUMENT_{s}", .{name});
        if (after(attribute, "export ")) |name| return b.fmt("OPTION_EXPORT + (int)LAUKA_DOCUMENT_{s}", .{name});
    }
    return constant(b, head);
}

/// What follows the beginning; null if the words do not begin so.
fn after(words: []const u8, beginning: []const u8) ?[]const u8 {
    return if (std.mem.startsWith(u8, words, beginning)) words[beginning.len..] else null;
}

/// Both sides of the first separator; without one, all and nothing.
fn halves(words: []const u8, separator: []const u8) struct { []const u8, []const u8 } {
    const at = std.mem.indexOf(u8, words, separator) orelse return .{ words, "" };
    return .{ words[0..at], words[at + separator.len ..] };
}

fn upper(b: *Build, name: []const u8) []const u8 {
    return std.ascii.allocUpperString(b.allocator, name) catch @panic("OOM");
}

/// As a string of C; NULL for nothing.
fn quoted(b: *Build, words: []const u8) []const u8 {
    if (words.len == 0) return "NULL";
    const slashes = std.mem.replaceOwned(u8, b.allocator, words, "\\", "\\\\") catch @panic("OOM");
    return b.fmt("\"{s}\"", .{std.mem.replaceOwned(u8, b.allocator, slashes, "\"", "\\\"") catch @panic("OOM")});
}

fn wrong(what: []const u8) noreturn {
    std.debug.panic("runner/options/options.txt: what is \"{s}\"?", .{what});
}
