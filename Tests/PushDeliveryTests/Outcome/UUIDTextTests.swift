import PushPlatform
import Testing

@testable import PushDelivery

struct UUIDTextTests {
    @Test func `the usual text of an id is read, in letters of any case`() {
        for _ in 0..<100 {
            let id = UUID()
            #expect(UUID(text: id.uuidString) == id)
            #expect(UUID(text: id.uuidString.lowercased()) == id)
        }
    }

    @Test(arguments: [
        "", "eabeae54-14a8-11e5-b60b-1697f925ec7", "eabeae54-14a8-11e5-b60b-1697f925ec7bb",
        "eabeae54-14a8-11e5-b60b-1697f925ec7g", "eabeae5414a8-11e5-b60b-1697f925ec7bb-",
        "-eabeae54-14a8-11e5-b60b-1697f925ec7", "eabeae54 14a8-11e5-b60b-1697f925ec7b",
        "äabeae54-14a8-11e5-b60b-1697f925ec7",
    ])
    func `any other text is no id`(text: String) {
        #expect(UUID(text: text) == nil)
    }
}
