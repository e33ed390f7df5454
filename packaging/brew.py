"""The formula for Homebrew, with the sums of the tarballs."""
import os
import sys

from contents import BASH, FISH, MANUALS, SUMMARY, ZSH

FORMULA = """\
class Lauka < Formula
  desc "{summary}"
  homepage "{home}"
  version "{version}"
  license all_of: ["MIT", "LGPL-2.1-or-later", "Zlib"]

{systems}
  def install
    bin.install "bin/lauka"
    man1.install Dir["{man}/*"]
    bash_completion.install "{bash}"
    zsh_completion.install "{zsh}"
    fish_completion.install "{fish}"
    doc.install Dir["share/doc/lauka/*"]
    pkgshare.install "share/lauka/schema"
  end

  test do
    assert_match "lauka #{{version}}", shell_output("#{{bin}}/lauka --version")
    system bin/"lauka", "--no-config", "-q", "-r", "2", "true", "true"
  end
end
"""
SYSTEM = """\
  on_{os} do
{machines}  end
"""
MACHINE = """\
    on_{cpu} do
      url "{url}"
      sha256 "{sum}"
    end
"""
WORDS = {"linux": "linux", "darwin": "macos", "x64": "intel", "arm64": "arm"}


def machine(system, version, address, sums):
    name = f"lauka-{version}-{system.name}.tar.gz"
    return MACHINE.format(cpu=WORDS[system.npm[1]], url=f"{address}/{name}", sum=sums[name])


def write(stage, address, sums, out):
    if "/OWNER/" in address:
        print("dist: lauka.rb downloads from OWNER, which is a placeholder; a release needs -Ddist-address (docs/release.md)", file=sys.stderr)
    systems = [SYSTEM.format(os=WORDS[os_name], machines="".join(
        machine(system, stage.version, address, sums) for system in stage.systems() if system.npm[0] == os_name))
        for os_name in sorted({system.npm[0] for system in stage.systems()}, reverse=True)]
    text = FORMULA.format(summary=SUMMARY, version=stage.version, home=address.split("/releases/")[0], systems="\n".join(systems),
                          man=MANUALS, bash=BASH, zsh=ZSH, fish=FISH)
    with open(os.path.join(out, "lauka.rb"), "w", encoding="utf-8") as file:
        file.write(text)
