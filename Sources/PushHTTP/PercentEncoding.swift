#if MockConsole || PushService
    extension String {
        /// Decodes `%20` and the like; `nil` if an escape is incomplete or the result is not text.
        package func removingURLPercentEncoding(plusIsBlank: Bool = false) -> String? {
            var bytes: [UInt8] = []
            var rest = utf8[...]
            while let byte = rest.popFirst() {
                switch byte {
                case UInt8(ascii: "%"):
                    guard let high = rest.popFirst(), let low = rest.popFirst(),
                        let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16),
                        high != UInt8(ascii: "+")
                    else { return nil }
                    bytes.append(value)
                case UInt8(ascii: "+") where plusIsBlank: bytes.append(UInt8(ascii: " "))
                default: bytes.append(byte)
                }
            }
            return String(validating: bytes, as: UTF8.self)
        }
    }
#endif
