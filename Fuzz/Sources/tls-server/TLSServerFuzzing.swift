internal import FuzzSupport

/// How the TLS server reads the records of a client.
enum TLSServerFuzzing {
    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        TLSScene(victimIsClient: false, &input).run(&input)
    }

    static func seeds() -> [String: [UInt8]] {
        var seeds = TLSScene.scripts()
        // A ClientHello of TLS 1.2: curve, point format, signature algorithm, and ALPN with h2.
        let extensions: [UInt8] = [
            0, 10, 0, 4, 0, 2, 0, 23, 0, 11, 0, 2, 1, 0, 0, 13, 0, 4, 0, 2, 4, 3, 0, 16, 0, 5, 0, 3, 2, 0x68, 0x32,
        ]
        let hello =
            [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0, 4, 0xC0, 0x2B, 0xC0, 0x09, 1, 0, 0]
            + [UInt8(extensions.count)] + extensions
        let message = [1, 0, 0, UInt8(hello.count)] + hello
        let record = [22, 3, 1, 0, UInt8(message.count)] + message
        seeds["raw-hello"] = [0, 0, UInt8(record.count)] + record
        // An empty list of certificates follows.
        seeds["raw-certificate"] = [0, 0, UInt8(record.count)] + record + [12, 22, 3, 3, 0, 7, 11, 0, 0, 3, 0, 0, 0]
        seeds["raw-http"] = [0, 0, 16] + Array("GET / HTTP/1.1\r\n".utf8)
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(TLSServerFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    TLSServerFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
