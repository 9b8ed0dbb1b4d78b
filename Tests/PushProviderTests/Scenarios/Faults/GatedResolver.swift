import NIOConcurrencyHelpers

@testable import PushProvider

/// Keeps names from being looked up until it is opened.
final class ResolverGate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = NIOLockedValueBox(State())

    /// Does the work, now or as soon as it is open.
    fileprivate func pass(_ work: @escaping @Sendable () -> Void) {
        let isOpen = state.withLockedValue { state in
            if !state.isOpen { state.waiting.append(work) }
            return state.isOpen
        }
        if isOpen { work() }
    }

    func open() {
        let waiting = state.withLockedValue { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for work in waiting { work() }
    }
}

/// Looks names up behind a gate.
struct GatedResolver: NameResolver {
    private struct Lookup {
        var isCancelled = false
        /// What cancels it, once it has begun.
        var cancel: (@Sendable () -> Void)?
    }

    private let gate: ResolverGate
    private let resolver: any NameResolver

    init(_ gate: ResolverGate, before resolver: any NameResolver) {
        self.gate = gate
        self.resolver = resolver
    }

    func lookUp(
        _ host: String, port: Int, answer: @escaping @Sendable (Result<[NetworkAddress], NameFailure>) -> Void
    ) -> @Sendable () -> Void {
        let lookup = NIOLockedValueBox(Lookup())
        gate.pass { [resolver] in
            guard !lookup.withLockedValue({ $0.isCancelled }) else { return }
            let cancel = resolver.lookUp(host, port: port, answer: answer)
            let isTooLate = lookup.withLockedValue { lookup in
                lookup.cancel = cancel
                return lookup.isCancelled
            }
            if isTooLate { cancel() }
        }
        return {
            let cancel = lookup.withLockedValue { lookup in
                lookup.isCancelled = true
                return lookup.cancel
            }
            cancel?()
        }
    }
}
