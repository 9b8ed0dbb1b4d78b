import Testing

@testable import pushserve

@Suite struct ConfigValueTests {
    @Test(arguments: [
        ("4096", 4096), ("8KiB", 8192), ("8 MiB", 8_388_608), ("1GiB", 1_073_741_824), ("1kB", 1000),
        ("2MB", 2_000_000),
        ("10B", 10),
    ])
    func `sizes have units`(text: String, bytes: Int) {
        #expect(ConfigValue.size(text) == bytes)
    }

    @Test(arguments: ["", "MiB", "-1", "8XB", "1e9", "99999999999999999999GiB"])
    func `other texts are no sizes`(text: String) {
        #expect(ConfigValue.size(text) == nil)
    }

    @Test func `relative paths begin at the folder`() {
        #expect(ConfigValue.path("a/b", in: "/etc/pushserve") == "/etc/pushserve/a/b")
        #expect(ConfigValue.path("a", in: "/") == "/a")
        #expect(ConfigValue.path("/a", in: "/etc") == "/a")
    }

    @Test func `an address of this machine only is known as such`() throws {
        #expect(try ListenAddress("127.0.0.1:80").isLoopback)
        #expect(try ListenAddress("localhost:80").isLoopback)
        #expect(try ListenAddress("[::1]:80").isLoopback)
        #expect(try !ListenAddress("0.0.0.0:80").isLoopback)
        #expect(try ListenAddress("[::]:80").description == "[::]:80")
    }
}
