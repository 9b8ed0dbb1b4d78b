import PushPlatform

/// Watches a file that people edit while the mock runs.
enum FileWatch {
    /// The time between two checks whether the file has changed.
    private static let pollInterval = Duration.milliseconds(250)

    /// Calls an operation after each change, until the task is cancelled.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - operation: What to do with the new content.
    static func follow(_ path: String, _ operation: (Data) -> Void) async {
        var last = try? Data(contentsOf: URL(filePath: path))
        while !Task.isCancelled {
            try? await Task.sleep(for: pollInterval)
            guard let content = try? Data(contentsOf: URL(filePath: path)), content != last else { continue }
            last = content
            operation(content)
        }
    }
}
