# The part of Homebrew that the formula needs: ruby brew.rb FORMULA SYSTEM CPU FOLDER
# FOLDER must contain the tarball that the formula names. It is checked, installed into FOLDER/prefix and tested.
require "digest"
require "fileutils"
require "open3"
require "pathname"

FORMULA, SYSTEM, CPU, FOLDER = ARGV

class Pathname
  def install(*sources)
    mkpath
    sources.flatten.each { |source| FileUtils.cp_r(source, self) }
  end
end

class Formula
  class << self
    def on_macos = (yield if SYSTEM == "macos")
    def on_linux = (yield if SYSTEM == "linux")
    def on_arm = (yield if CPU == "arm")
    def on_intel = (yield if CPU == "intel")
    def test(&block) = define_method(:run_test, &block)

    %i[desc homepage license version url sha256].each do |name|
      define_method(name) do |value = nil|
        variable = "@#{name}"
        raise "#{name} is given twice" if value && instance_variable_get(variable)

        value ? instance_variable_set(variable, value) : instance_variable_get(variable)
      end
    end
  end

  def version = self.class.version
  def prefix = Pathname(FOLDER)/"prefix"
  def bin = prefix/"bin"
  def man1 = prefix/"share/man/man1"
  def doc = prefix/"share/doc/lauka"
  def pkgshare = prefix/"share/lauka"
  def bash_completion = prefix/"etc/bash_completion.d"
  def zsh_completion = prefix/"share/zsh/site-functions"
  def fish_completion = prefix/"share/fish/vendor_completions.d"

  def assert_match(expected, found)
    raise "#{expected} is not in #{found}" unless found.include?(expected)
  end

  def shell_output(command)
    text, status = Open3.capture2(command)
    raise "#{command}: #{status}" unless status.success?

    text
  end

  def system(*command) = Kernel.system(*command.map(&:to_s), exception: true)
end

load FORMULA
tarball = Pathname(FOLDER)/File.basename(Lauka.url)
raise "#{tarball}: another SHA-256" unless Digest::SHA256.file(tarball).hexdigest == Lauka.sha256

unpacked = Pathname(FOLDER)/"unpacked"
unpacked.mkpath
Kernel.system("tar", "-xzf", tarball.to_s, "--strip-components=1", "-C", unpacked.to_s, exception: true)
formula = Lauka.new
Dir.chdir(unpacked) { formula.install }
Dir.chdir(FOLDER) { formula.run_test } if File.executable?(formula.bin/"lauka") && ENV["RUN"] == "1"
puts [Lauka.homepage, Lauka.version, Lauka.desc.length, Lauka.license.inspect]
