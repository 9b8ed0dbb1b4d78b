import Testing

@testable import MockAPNs

@Suite struct MockFaultStreamTests {
    @Test func `each stream has its id on the wire`() {
        func id(_ stream: MockFault.Stream, this: Int32 = 5, newest: Int32 = 9) -> Int32 {
            stream.id(this: this, newest: newest)
        }
        #expect(id(.connection) == 0 && id(.none) == 0)
        #expect(id(.this) == 5)
        #expect(id(.below) == 3)
        #expect(id(.below, this: 1) == 0)
        #expect(id(.newest) == 9)
        #expect(id(.idle) == 11)
        #expect(id(.idle, newest: .max) == .max)
        #expect(id(.highest) == .max)
        #expect(id(.id(7)) == 7)
    }

    @Test func `a window is that of the stream or of the connection, and nothing else`() {
        let error = #expect(throws: MockFaultError.self) {
            try MockFault(json: #"{"steps":[{"open_window":{"of":"newest","by":1}}]}"#)
        }
        #expect(error?.description.contains(#"Unknown window "newest". Use "stream", "connection""#) == true)
        #expect(throws: MockFaultError.self) {
            try MockFault(json: #"{"steps":[{"open_window":{"of":7,"by":1}}]}"#)
        }
    }
}
