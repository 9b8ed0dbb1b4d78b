internal import FuzzSupport

@testable internal import PushWire

/// The server's half of a connection: a genuine client sends requests, and the input damages and forges its bytes.
enum HTTP2ServerFuzzing {
    static func run(_ bytes: [UInt8]) {
        var input = FuzzInput(bytes)
        let scene = ServerScene(&input)
        switch input.number(below: 4) {
        case 0: scene.hear(&input)
        default: while !input.isEmpty, !scene.isOver { scene.step(&input) }
        }
        scene.end()
    }
}

extension HTTP2ServerFuzzing {
    static func seeds() -> [String: [UInt8]] {
        let usual: [UInt8] = [0, 0]
        let exchange: UInt8 = 11
        let request: [UInt8] = [0, 2, 0, 4] + Array("abcd".utf8) + [1, 4] + Array("efgh".utf8) + [1]
        let answer: [UInt8] = [5, 5, 0, 1, 0, 4] + Array("wxyz".utf8) + [1]
        func script(_ steps: [[UInt8]]) -> [UInt8] { usual + [1] + steps.flatMap { $0 } }
        let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        return [
            "one": script([[exchange], request, [exchange], answer, [exchange]]),
            "many": script([[exchange]] + Array(repeating: request, count: 12) + [[exchange], [5, 0], [exchange]]),
            "forged": script([
                [exchange], [8, 1, 2, 1, 0, 2, 0, 1, 3, 0, 2, 2, 0, 4, 5], [exchange], answer, [exchange],
            ]),
            "spoiled": script([[exchange], request, [1], [7, 0, 0, 9, 0, 1], [6, 0], answer, [exchange]]),
            // One field that is repeated, and another that evicts fields from the table.
            "full-table": script(
                [[exchange]]
                    + (UInt8(0)..<16).flatMap { number in
                        let again: [UInt8] = [number % 5, 2, 0xC4, 0]
                        let other: [UInt8] = [10 + number, 2, 0xC5, 0]
                        return [request, [exchange], [5, 5, 0, 2] + again + other + [0, 0], [exchange]]
                    }),
            "leaving": script([[exchange], request, [exchange], [5, 3, 0, 2, 0x7B, 0x7D], [exchange]]),
            "raw": usual + [0, UInt8(Frame.preface.count + settings.count)] + Frame.preface + settings,
        ]
    }
}

// libFuzzer calls both functions by these names.

@_cdecl("LLVMFuzzerInitialize")
func initialize(_: UnsafeMutableRawPointer?, _: UnsafeMutableRawPointer?) -> Int32 {
    Seeds.writeIfAsked(HTTP2ServerFuzzing.seeds)
    return 0
}

@_cdecl("LLVMFuzzerTestOneInput")
func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    HTTP2ServerFuzzing.run(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}
