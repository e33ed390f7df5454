#!/bin/sh
# The first step of action.yml: puts lauka into $RUNNER_TEMP/lauka and on the job's path ($GITHUB_PATH).
#   VERSION  a release, such as 1.0.0: the tarball for this system is downloaded
#   CHECKSUM the SHA-256 of that tarball, or several (such as all of SHA256SUMS); nothing else is unpacked
#   ADDRESS  where releases are; by default those of $REPOSITORY on $SERVER, where the action comes from
#   BUILD    true: compiles lauka from $SOURCE instead, which takes minutes
# Without VERSION and BUILD, lauka must already be on the path.
set -eu

die() {
    echo "::error title=lauka::$*"
    exit 1
}

system() {
    case $(uname -s)-$(uname -m) in
    Linux-x86_64) echo x86_64-linux ;;
    Linux-aarch64 | Linux-arm64) echo aarch64-linux ;;
    Darwin-x86_64) echo x86_64-macos ;;
    Darwin-arm64) echo arm64-macos ;;
    *) return 1 ;;
    esac
}

sum() { # FILE
    if command -v sha256sum >/dev/null; then sha256sum "$1"; else shasum -a 256 "$1"; fi | cut -d ' ' -f 1
}

is_expected() { # SUM
    for word in ${CHECKSUM:-}; do
        [ "$word" != "$1" ] || return 0
    done
    return 1
}

download() {
    [ -n "${CHECKSUM:-}" ] || die "version: $VERSION needs checksum: the tarball's line of SHA256SUMS"
    name=lauka-$VERSION-$(system) || die "there is no release for $(uname -s) $(uname -m); set build: true"
    file=$RUNNER_TEMP/$name.tar.gz
    [ -n "${ADDRESS:-}" ] || [ -n "${REPOSITORY:-}" ] || die "version: $VERSION needs address, because the repository of the action is unknown"
    from=${ADDRESS:-${SERVER:-https://github.com}/${REPOSITORY:-}/releases/download}/v$VERSION/$name.tar.gz
    curl -fsSL --retry 3 -o "$file" "$from" || die "cannot download $from"
    found=$(sum "$file")
    is_expected "$found" || { rm -f "$file" && die "$name.tar.gz has the SHA-256 $found, which checksum does not list"; }
    rm -rf "$RUNNER_TEMP/lauka"
    mkdir "$RUNNER_TEMP/lauka"
    tar -xzf "$file" -C "$RUNNER_TEMP/lauka" --strip-components 1
    rm -f "$file"
}

if [ "${BUILD:-false}" = true ]; then
    "$SOURCE/zigw" build --prefix "$RUNNER_TEMP/lauka"
elif [ -n "${VERSION:-}" ]; then
    download
elif command -v lauka >/dev/null; then
    exit 0
else
    die "no lauka on the path: set version and checksum, or build: true"
fi
echo "$RUNNER_TEMP/lauka/bin" >>"$GITHUB_PATH"
