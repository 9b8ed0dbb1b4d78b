import Foundation
import TestSupport
import Testing

@testable import PushJSON
@testable import PushProvider

@Suite struct PayloadEncoderTests {
    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try PayloadEncoder.tree(of: value, as: "value").encoded, as: UTF8.self)
    }

    // MARK: As Foundation does it

    @Test(arguments: 0..<300)
    func `any value comes back from the device's decoder as it was`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sample = EncodedSample(using: &generator)
        let bytes = try PayloadEncoder.tree(of: sample, as: "value").encoded
        #expect(try JSONDecoder().decode(EncodedSample.self, from: Data(bytes)) == sample)
    }

    @Test(arguments: 0..<300)
    func `it is the JSON that Foundation's encoder makes`(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let sample = EncodedSample(using: &generator)
        let ours = try JSONSerialization.jsonObject(with: Data(PayloadEncoder.tree(of: sample, as: "value").encoded))
        let theirs = try JSONSerialization.jsonObject(with: JSONEncoder().encode(sample))
        #expect(Self.sameShape(ours, theirs))
    }

    /// The same but for numbers that differ in their last digits only: a `Float` and a `Decimal` have several spellings.
    private static func sameShape(_ left: Any, _ right: Any) -> Bool {
        switch (left, right) {
        case (let left as [String: Any], let right as [String: Any]):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map { sameShape(value, $0) } ?? false }
        case (let left as [Any], let right as [Any]):
            left.count == right.count && zip(left, right).allSatisfy { sameShape($0, $1) }
        case (let left as String, let right as String): left == right
        case (let left as NSNumber, let right as NSNumber):
            left == right || abs(left.doubleValue - right.doubleValue) <= abs(left.doubleValue) * 1e-7
        default: left is NSNull && right is NSNull
        }
    }

    @Test func `each primitive has one form`() throws {
        #expect(try text(Date(timeIntervalSinceReferenceDate: 806_748_000.5)) == "806748000.5")
        #expect(try text(Data([1, 2, 255])) == #""AQL/""#)
        #expect(try text(URL(string: "https://example.com/a?b=c")) == #""https://example.com/a?b=c""#)
        #expect(try text(Decimal(string: "12345678901234567890.123456789")) == "12345678901234567890.123456789")
        #expect(try text(Float(0.1)) == "0.1")
        #expect(try text(UInt64.max) == "18446744073709551615")
        #expect(try text(Int128.min) == "-170141183460469231731687303715884105728")
        #expect(try text([UInt128.max]) == "[340282366920938463463374607431768211455]")
        #expect(try text(["big": Int128.max]) == #"{"big":170141183460469231731687303715884105727}"#)
        #expect(try text(Int?.none) == "null")
        #expect(try text([1, nil, 3]) == "[1,null,3]")
        #expect(try text(["b": [true], "a": []]) == #"{"a":[],"b":[true]}"#)
        #expect(try text(PushJSONValue.object(["n": 1.5])) == #"{"n":1.5}"#)
    }

    // MARK: Containers

    private class Parent: Encodable {
        var name = "parent"
        private enum CodingKeys: CodingKey { case name }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(name, forKey: .name)
        }
    }

    private final class BesideParent: Parent {
        private enum CodingKeys: CodingKey { case own }
        override func encode(to encoder: any Encoder) throws {
            try super.encode(to: encoder)
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(1, forKey: .own)
        }
    }

    private final class UnderSuper: Parent {
        private enum CodingKeys: CodingKey { case own, base, list }
        override func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try super.encode(to: container.superEncoder())
            try super.encode(to: container.superEncoder(forKey: .base))
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(7)
            try super.encode(to: list.superEncoder())
            var inner = list.nestedContainer(keyedBy: CodingKeys.self)
            try inner.encodeNil(forKey: .own)
            var deep = list.nestedUnkeyedContainer()
            try deep.encodeNil()
            try deep.encode("\(list.count)")
        }
    }

    @Test func `inherited values are where the class encodes them`() throws {
        #expect(try text(BesideParent()) == #"{"name":"parent","own":1}"#)
        #expect(
            try text(UnderSuper())
                == #"{"base":{"name":"parent"},"list":[7,{"name":"parent"},{"own":null},[null,"4"]],"super":{"name":"parent"}}"#
        )
        let theirs = JSONEncoder()
        theirs.outputFormatting = .sortedKeys
        #expect(String(decoding: try theirs.encode(UnderSuper()), as: UTF8.self) == (try text(UnderSuper())))
    }

    private struct Twice: Encodable {
        enum Keys: CodingKey { case inner, a, b }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Keys.self)
            var first = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
            try first.encode(1, forKey: .a)
            var second = container.nestedContainer(keyedBy: Keys.self, forKey: .inner)
            try second.encode(2, forKey: .b)
            try container.encode(3, forKey: .a)
            try container.encode(4, forKey: .a)
        }
    }

    @Test func `a container that is asked for twice is one`() throws {
        #expect(try text(Twice()) == #"{"a":4,"inner":{"a":1,"b":2}}"#)
    }

    private struct Nothing: Encodable {
        func encode(to encoder: any Encoder) {}
    }

    @Test func `what encodes nothing is an empty object`() throws {
        #expect(try text(["x": Nothing()]) == #"{"x":{}}"#)
    }

    // MARK: What has no form

    private func failure(_ value: some Encodable) -> PushPayloadError? {
        do {
            _ = try PayloadEncoder.tree(of: value, as: "value")
            return nil
        } catch {
            return error
        }
    }

    @Test func `a number that is not finite is named with its place`() {
        #expect(failure(["a": ["b": [1, Double.nan]]])?.path == "value.a.b[1]")
        #expect(failure(["a": ["b": [1, Double.nan]]])?.code == .notFinite)
        #expect(failure(-Float.infinity)?.code == .notFinite)
        #expect(failure(Decimal.nan)?.code == .notFinite)
        #expect(failure([PushJSONValue.number(.infinity)])?.path == "value[0]")
    }

    private final class Endless: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.unkeyedContainer()
            try container.encode(self)
        }
    }

    private final class EndlessInPlace: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self)
        }
    }

    @Test func `a value that holds itself ends in an error`() {
        #expect(failure(Endless())?.code == .tooDeep)
        #expect(failure(EndlessInPlace())?.code == .tooDeep)
    }

    /// Objects in objects, each a value of its own or each a container of the one above.
    private struct Nested: Encodable {
        var depth: Int
        var isByContainers = false

        private enum Key: String, CodingKey { case inner }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            guard depth > 1 else { return }
            guard isByContainers else { return try container.encode(Nested(depth: depth - 1), forKey: .inner) }
            for _ in 1..<depth { container = container.nestedContainer(keyedBy: Key.self, forKey: .inner) }
            try container.encode([0], forKey: .inner)
        }
    }

    @Test func `what is encoded nests no deeper than a payload that can be read`() throws {
        let deepest = JSONReader.deepest - 2
        let state = try PushPayload.updateLiveActivity(contentState: Nested(depth: deepest))
        #expect(state.reading.problem == nil)
        #expect(throws: PushPayloadError.self) {
            try PushPayload.updateLiveActivity(contentState: Nested(depth: deepest + 1))
        }
        let containers = try PushPayload.updateLiveActivity(
            contentState: Nested(depth: deepest - 1, isByContainers: true))
        #expect(containers.reading.problem == nil)
        #expect(throws: PushPayloadError.self) {
            try PushPayload.updateLiveActivity(contentState: Nested(depth: deepest, isByContainers: true))
        }
    }

    private struct TwoForms: Encodable {
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(1)
            var one = encoder.singleValueContainer()
            try one.encode(2)
        }
    }

    private struct Throwing: Encodable {
        struct Secret: Error { var password = "hunter2" }
        func encode(to encoder: any Encoder) throws { throw Secret() }
    }

    @Test func `a type that does not encode itself properly is reported, and none of its values`() {
        #expect(failure(["x": TwoForms()])?.code == .cannotEncode)
        #expect(failure(["x": TwoForms()])?.path == "value.x")
        #expect(failure(["x": Throwing()])?.code == .cannotEncode)
        #expect(failure(["x": Throwing()])?.description.contains("Secret") == true)
        #expect(failure(["x": Throwing()])?.description.contains("hunter2") == false)
    }

    @Test func `a key with control characters does not steer a terminal`() {
        let error = failure(["\u{1B}[31m": Double.nan])
        #expect(error?.description.contains("\u{1B}") == false)
    }
}
