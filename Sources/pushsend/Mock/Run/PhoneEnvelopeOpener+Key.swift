import MockConsole
internal import PushJSON
import PushPlatform
import PushProvider
import VirtualPhones

extension PhoneEnvelopeOpener {
    /// The maximum size of a key file that is read, in bytes. A key has 44 characters.
    private static let mostKeyBytes = 4096

    /// Opens sealed payloads with the keys in files, as a service extension would.
    static let ofKeyFiles = PhoneEnvelopeOpener { envelope, keyFile in
        guard let bytes = LocalFile.read(keyFile, atMost: mostKeyBytes)?.bytes,
            let key = String(validating: bytes, as: UTF8.self)
        else {
            return .failure(Problem("there is no key file, or it can't be read"))
        }
        let parts = envelope.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { return .failure(Problem("it wasn't sealed with PushProvider")) }
        do throws(PushSealingError) {
            let sealed = PushPayload(json: PushJSONValue.object(["sealed": .string(envelope)]).encoded)
            let opened = try sealed.opened(with: try PushPayload.SealingKey(id: String(parts[1]), base64: key))
            return .success(opened.bytes)
        } catch {
            return .failure(Problem(error.description))
        }
    }
}
