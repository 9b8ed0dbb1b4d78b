internal import PushJSON
import PushPlatform

/// A type that is encoded as one JSON value, without its own `encode(to:)`. These are the types that Foundation's
/// `JSONEncoder` handles in this way by default, so the default `JSONDecoder` on the device can read them.
///
/// `Date` is not one of them: it encodes itself as the seconds since 2001, which that decoder expects.
protocol JSONPrimitive {
    /// The JSON value; `nil` for a number that is not finite.
    var tree: EncodedJSON? { get }
}

extension Bool: JSONPrimitive {
    var tree: EncodedJSON? { .value(.bool(self)) }
}

extension String: JSONPrimitive {
    var tree: EncodedJSON? { .text(self) }
}

extension Double: JSONPrimitive {
    var tree: EncodedJSON? { isFinite ? .value(.number(self)) : nil }
}

extension Float: JSONPrimitive {
    /// The value with the shortest digits of a `Float`: 0.1, not 0.10000000149011612. A device reads both as the same
    /// `Float`.
    var tree: EncodedJSON? { isFinite ? .value(.number(Double(description) ?? Double(self))) : nil }
}

extension Decimal: JSONPrimitive {
    var tree: EncodedJSON? { isFinite ? .digits(description) : nil }
}

extension Data: JSONPrimitive {
    var tree: EncodedJSON? { .text(base64EncodedString()) }
}

extension URL: JSONPrimitive {
    var tree: EncodedJSON? { .text(absoluteString) }
}

extension PushJSONValue: JSONPrimitive {
    var tree: EncodedJSON? { isFinite ? .value(self) : nil }
}

// MARK: Whole numbers

extension FixedWidthInteger {
    fileprivate var wholeNumber: EncodedJSON { Int(exactly: self).map(EncodedJSON.integer) ?? .digits(String(self)) }
}

extension Int: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension Int8: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension Int16: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension Int32: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension Int64: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension Int128: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension UInt: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension UInt8: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension UInt16: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension UInt32: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension UInt64: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
extension UInt128: JSONPrimitive { var tree: EncodedJSON? { wholeNumber } }
