internal import Dispatch
internal import NIOConcurrencyHelpers
import PushPlatform

/// Resolves names with the system: its hosts file, its DNS servers, its order of addresses.
///
/// Addresses and `localhost` are answered at once, without a thread: for a single push, starting threads would take
/// longer than the rest.
final class SystemNames: NameResolver {
    /// The resolver of the whole process, so that only a few threads wait for the system, even with many clients.
    static let shared = SystemNames()

    typealias Answer = @Sendable (Result<[NetworkAddress], NameFailure>) -> Void

    private struct Question {
        var host: String
        var port: Int
        var answer: Answer
    }

    private struct State {
        var line = LookupLine()
        var questions: [Int: Question] = [:]
        var questionsSoFar = 0
    }

    private let state = NIOLockedValueBox(State())
    private let threads = DispatchQueue(label: "PushProvider.names", attributes: .concurrent)
    private let ask: @Sendable (String, Int) -> Result<[NetworkAddress], NameFailure>

    /// - Parameter ask: Blocks until a name is resolved.
    init(ask: @escaping @Sendable (String, Int) -> Result<[NetworkAddress], NameFailure> = SystemNames.ask) {
        self.ask = ask
    }

    func lookUp(_ host: String, port: Int, answer: @escaping Answer) -> @Sendable () -> Void {
        if let address = NetworkAddress(literal: host, port: port) {
            answer(.success([address]))
            return {}
        }
        if host.lowercased() == "localhost" {
            answer(.success(NetworkAddress.ofThisMachine(port: port)))
            return {}
        }
        return submit(Question(host: host, port: port, answer: answer))
    }

    private func submit(_ question: Question) -> @Sendable () -> Void {
        let (id, begun) = state.withLockedValue { state in
            state.questionsSoFar += 1
            let id = state.questionsSoFar
            state.questions[id] = question
            return (id, state.line.submitted(id, name: question.host))
        }
        begin(begun)
        return { [self] in giveUp(id) }
    }

    /// Cancels a question. Its answer is dropped.
    private func giveUp(_ id: Int) {
        state.withLockedValue { state in
            state.questions[id] = nil
            state.line.givenUp(id)
        }
    }

    private func begin(_ ids: [Int]) {
        for id in ids {
            threads.async { [self] in
                if let question = state.withLockedValue({ $0.questions[id] }) {
                    let found = ask(question.host, question.port)
                    state.withLockedValue { $0.questions.removeValue(forKey: id) }?.answer(found)
                }
                begin(state.withLockedValue { $0.line.answered(id) })
            }
        }
    }

    // MARK: The system

    /// Asks the system, and blocks until it answers.
    static func ask(_ host: String, _ port: Int) -> Result<[NetworkAddress], NameFailure> {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = streamSocket
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, nil, &hints, &list)
        let reason = errno
        guard code == 0 else { return .failure(failure(code, errno: reason)) }
        defer { freeaddrinfo(list) }
        let entries = sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }
        return .success(entries.compactMap { $0.flatMap { address(of: $0.pointee, port) } })
    }

    private static func address(of entry: addrinfo, _ port: Int) -> NetworkAddress? {
        entry.ai_addr.flatMap { NetworkAddress($0, length: entry.ai_addrlen, port: port) }
    }

    private static func failure(_ code: Int32, errno reason: Int32) -> NameFailure {
        switch code {
        case EAI_NONAME: return .unknown
        case EAI_AGAIN: return .noServer
        case EAI_SYSTEM:
            if reason == EMFILE || reason == ENFILE { return .noDescriptors }
            return .other(String(cString: strerror(reason)))
        default: return .other(String(cString: gai_strerror(code)))
        }
    }
}

/// Looks up names for connections. Each connection makes a new lookup, so that the addresses of a name may change.
///
/// It is not public: users of the library resolve names with the system, too.
package protocol NameResolver: Sendable {
    /// Looks up the addresses of a name.
    ///
    /// - Parameters:
    ///   - host: The name, or an address as text.
    ///   - port: The port for the addresses.
    ///   - answer: Called at most once, on any thread, perhaps before this method returns. The addresses of both
    ///     families are in the order in which to try them (RFC 6724).
    /// - Returns: A closure that cancels the lookup.
    func lookUp(
        _ host: String, port: Int, answer: @escaping @Sendable (Result<[NetworkAddress], NameFailure>) -> Void
    ) -> @Sendable () -> Void
}

package enum NameFailure: Error, Hashable, Sendable {
    /// The name does not exist.
    case unknown
    case noServer
    /// This process has no file descriptor left for the lookup.
    case noDescriptors
    /// Another error, with the system's message.
    case other(String)
}
