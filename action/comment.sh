#!/bin/sh
# Posts a comment of lauka (--pr-comment), or updates the existing one: there is one per session.
#   usage: GH_TOKEN=... comment.sh OWNER/REPOSITORY NUMBER FILE
# It accepts nothing else, because the file may come from code that nobody has reviewed.
set -eu
repository=$1 number=$2 file=$3
case $number in '' | *[!0-9]*) echo "not the number of a pull request: $number" >&2; exit 1 ;; esac
# lauka writes at most 65,000 bytes, which GitHub accepts; a longer file is not from lauka.
[ "$(wc -c <"$file")" -le 65000 ] || { echo "$file: too long" >&2; exit 1; }
# The first line stays the same while the benchmarks do (--comment-id), so it identifies the old comment.
marker=$(head -n 1 "$file")
printf '%s\n' "$marker" | grep -Eqx '<!-- lauka:comment:v1 id=[0-9a-f]+ -->' ||
    { echo "$file: not a comment of lauka" >&2; exit 1; }
old=$(gh api --paginate "repos/$repository/issues/$number/comments" --jq \
    ".[] | select(.user.type == \"Bot\" and (.body | startswith(\"$marker\"))) | .id" | head -n 1)
if [ -n "$old" ]; then
    gh api -X PATCH "repos/$repository/issues/comments/$old" -F body=@"$file" >/dev/null
else
    gh api "repos/$repository/issues/$number/comments" -F body=@"$file" >/dev/null
fi
