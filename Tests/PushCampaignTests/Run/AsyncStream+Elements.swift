extension AsyncStream where Element: Sendable {
    /// These elements, and then the end.
    init(all elements: [Element]) {
        self.init { stream in
            for element in elements { stream.yield(element) }
            stream.finish()
        }
    }
}
