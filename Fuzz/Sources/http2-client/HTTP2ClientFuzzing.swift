internal import FuzzSupport

@testable internal import PushWire

/// The client's half of a connection: a genuine server answers, and the input damages and forges its bytes.
enum HTTP2ClientFuzzing {
    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let scene = ClientScene(&input)
        switch input.number(below: 4) {
        case 0: scene.hear(&input)
        default: while !input.isEmpty, !scene.isOver { scene.step(&input) }
        }
        scene.end()
    }
}

extension HTTP2ClientFuzzing {
    /// The first bytes: limits, credential, the server's settings, and the start of the mode.
    private static let usual: [UInt8] = [2, 1, 0, 3] + Array("abc".utf8) + [0, 0, 0]

    static func seeds() -> [String: [UInt8]] {
        let exchange: UInt8 = 13
        let request: [UInt8] = [0, 2, 0, 8] + Array("01234567".utf8) + [0, 1, 4] + Array("abcd".utf8) + [1, 1, 0]
        let answer: [UInt8] = [5, 4, 0, 1, 0, 4] + Array("wxyz".utf8) + [2, 1]
        func script(_ steps: [[UInt8]]) -> [UInt8] { usual + [1] + steps.flatMap { $0 } }
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        return [
            "one": script([[exchange], request, [exchange], answer, [exchange]]),
            "many": script([[exchange]] + Array(repeating: request, count: 12) + [[exchange], [5, 0], [exchange]]),
            "reset": script([[exchange], request, [11, 0, 1], [exchange], [5, 4, 0, 0, 0, 7], [exchange]]),
            "goaway": script([[exchange], request, [exchange], [5, 3, 2, 4] + Array("text".utf8), [exchange]]),
            "forged": script([[exchange], request, [exchange], [9, 1, 2, 1, 0, 2, 0, 0, 0], [exchange]]),
            "spoiled": script([[exchange], request, [3], [4], answer, [6], [8, 0, 0, 9, 0, 1], [7, 0], [exchange]]),
            "raw": usual + [0] + settings + [18] + settings + [0, 0, 0, 4, 1, 0, 0, 0, 0],
        ]
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(HTTP2ClientFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    HTTP2ClientFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
