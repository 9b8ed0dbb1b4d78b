import PushWire
import Testing

@Suite struct HTTP2ErrorCodeTests {
    static let names: [(UInt32, String)] = [
        (0, "NO_ERROR"), (1, "PROTOCOL_ERROR"), (3, "FLOW_CONTROL_ERROR"), (7, "REFUSED_STREAM"), (8, "CANCEL"),
        (11, "ENHANCE_YOUR_CALM"), (13, "HTTP_1_1_REQUIRED"), (14, "error code 14"), (.max, "error code 4294967295"),
    ]

    @Test(arguments: names)
    func `codes have the names of the standard, and unknown ones their number`(code: UInt32, name: String) {
        #expect(HTTP2ErrorCode(rawValue: code).description == name)
    }
}
