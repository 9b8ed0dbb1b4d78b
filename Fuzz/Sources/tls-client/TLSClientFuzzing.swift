internal import FuzzSupport

/// How the TLS client reads the records of a server.
enum TLSClientFuzzing {
    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        TLSScene(victimIsClient: true, &input).run(&input)
    }

    static func seeds() -> [String: [UInt8]] {
        var seeds = TLSScene.scripts()
        // A ServerHello of TLS 1.2. Its only extension is secure renegotiation.
        let hello: [UInt8] = [3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0xC0, 0x09, 0, 0, 5, 0xFF, 1, 0, 1, 0]
        let message = [2, 0, 0, UInt8(hello.count)] + hello
        let record = [22, 3, 3, 0, UInt8(message.count)] + message
        seeds["raw-hello"] = [0, 0, UInt8(record.count)] + record
        seeds["raw-http"] = [0, 0, 17] + Array("HTTP/1.1 400 Bad\n".utf8)
        seeds["raw-alert"] = [0, 0, 7, 21, 3, 3, 0, 2, 2, 40]
        return seeds
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(TLSClientFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    TLSClientFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
