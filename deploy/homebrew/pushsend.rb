# Template of the Homebrew formula: scripts/release fills in what stands in @...@. Not tried on macOS.
class Pushsend < Formula
  desc "Sends Apple push notifications, simulates APNs, and a durable push service"
  homepage "https://github.com/@REPOSITORY@"
  url "https://github.com/@REPOSITORY@/releases/download/v@VERSION@/pushprovider-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "libnghttp2"
  depends_on "libpq"
  depends_on "libyaml"
  depends_on macos: :sequoia
  depends_on "openssl@3"
  depends_on "sqlite"

  def install
    # The source archive has no repository to ask.
    ENV["PUSHSEND_COMMIT"] = "@COMMIT@"
    # Homebrew builds in a sandbox, and a sandbox can't start another one.
    ENV["SWIFT_BUILD_FLAGS"] = "--disable-sandbox"
    system "scripts/install", "--prefix", prefix
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/pushsend --version")
    assert_match version.to_s, shell_output("#{bin}/pushserve --version")
    system bin/"pushsend", "mock", "exec", "--", bin/"pushsend", "send", "5f3ad1c07b9e4286", "--mock",
           "--topic", "com.example.app", "-m", "Hello"
  end
end
