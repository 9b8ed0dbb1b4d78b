import MockAPNs
import PushJSON
import PushPlatform
import Testing

@testable import VirtualPhones

extension Phones {
    /// Phones with these profiles, in JSON.
    static func sample(_ json: String) throws -> Phones {
        Phones(try PhoneProfile.list(try LocatedJSON(json: Array(json.utf8))))
    }

    /// A phone "desk" with one app, com.example.app, that has these members.
    static func withApp(_ members: String = "", _ switches: String = "") throws -> Phones {
        try sample(
            #"{"id":"desk","name":"Desk iPhone"\#(switches.isEmpty ? "" : ",\(switches)"),"#
                + #""apps":[{"topic":"com.example.app","name":"App"\#(members.isEmpty ? "" : ",\(members)")}]}"#)
    }

    /// The screen of the first phone.
    func screen(at seconds: Double = 0) throws -> PhoneScreen {
        try #require(screen(of: ids[0], at: .start.addingTimeInterval(seconds)))
    }

    /// The numbers of the pushes on the lock screen of the first phone.
    func lock() throws -> [Int] { try screen().lock.map(\.card.push) }

    func outcome(_ push: Int) throws -> PhoneOutcome { try #require(record(of: push)).outcome }

    func stages(_ push: Int) -> [PhoneStage.Kind] { record(of: push)?.timeline.map(\.kind) ?? [] }

    mutating func act(_ action: PhoneAction, at seconds: Double = 0) throws {
        try perform(action, on: ids[0], at: .start.addingTimeInterval(seconds))
    }

    mutating func flip(at seconds: Double = 0, _ change: (inout PhoneSwitches) -> Void) {
        flip(ids[0], at: .start.addingTimeInterval(seconds), change)
    }
}

extension String {
    /// A payload with a title and a body, and further members of aps.
    static func alert(_ title: String = "Hello", body: String = "World", _ aps: String = "", _ custom: String = "")
        -> String
    {
        #"{"aps":{"alert":{"title":"\#(title)","body":"\#(body)"}\#(aps.isEmpty ? "" : ",\(aps)")}"#
            + (custom.isEmpty ? "}" : ",\(custom)}")
    }
}
