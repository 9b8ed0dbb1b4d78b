import APNSVocabulary
package import HTTPTypes

/// All routes of a server. It finds the route of a request.
///
/// Hummingbird's router is not used: it answers another method of a known path with 404, tells nobody which methods there are, and takes
/// `/v1//pushes/` for `/v1/pushes`. Also, a path must be found before the access is checked, and its handler must run after that.
package struct RouteTable<Call: WebRequest>: Sendable {
    package typealias Found = (route: WebRoute<Call>, parameters: [String: String])

    package let routes: [WebRoute<Call>]
    private let patterns: [PathPattern]

    package init(_ routes: [WebRoute<Call>]) {
        self.routes = routes
        patterns = routes.map { $0.pattern }
    }

    /// The routes with a path, whatever their method is.
    ///
    /// - Parameters:
    ///   - path: The path, which was split at each slash.
    ///   - isPossible: Whether a route with this scope can be meant.
    /// - Returns: The routes with the values of the variable parts of the path.
    package func fitting(_ path: [Substring], _ isPossible: (Call.Scope) -> Bool = { _ in true }) -> [Found] {
        // A path in words is meant before one with variable parts: in /pushes/count, "count" is not the number of a push.
        var (fitting, fewest): ([Found], Int) = ([], .max)
        for (index, pattern) in patterns.enumerated() {
            guard let parameters = pattern.parameters(of: path), parameters.count <= fewest,
                isPossible(routes[index].scope)
            else { continue }
            if parameters.count < fewest { (fitting, fewest) = ([], parameters.count) }
            fitting.append((routes[index], parameters))
        }
        return fitting
    }

    /// The path that was probably meant: segment by segment, so that an id does not count as a typing error. The variable parts
    /// keep their names, because one that was written can be a device token.
    private func nearest(to path: String) -> String? {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let meant = routes.compactMap { route -> (path: String, slips: Int)? in
            let parts = route.path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == segments.count else { return nil }
            var slips = 0
            for (part, segment) in zip(parts, segments) {
                if part.hasPrefix("{") {
                    guard !segment.isEmpty else { return nil }
                } else {
                    guard part == segment || NearestName.misspelt(segment, of: [part]) != nil else { return nil }
                    slips += part == segment ? 0 : 1
                }
            }
            return slips == 0 ? nil : (route.path, slips)
        }
        return meant.min { $0.slips < $1.slips }?.path
    }

    /// The route with a method among those with a path.
    ///
    /// - Throws: ``APIProblem`` if nothing is at the path, or it has other methods.
    package func find(
        _ method: HTTPRequest.Method, _ path: String, among fitting: [Found]
    ) throws(APIProblem) -> Found {
        if let found = fitting.first(where: { $0.route.answers(method) }) { return found }
        let shown = String(path.prefix(200))
        guard let first = fitting.first else {
            let near = nearest(to: shown)
            throw .notFound(
                "There is nothing at \(shown.debugDescription).",
                remedy: near.map { "Did you mean \($0)?" } ?? "GET /v1/openapi.json lists all paths.")
        }
        let allowed = fitting.flatMap(\.route.methods).map(\.rawValue).joined(separator: ", ")
        throw APIProblem(
            status: .methodNotAllowed, code: "method_not_allowed",
            detail: "\(String(method.rawValue.prefix(20))) isn't allowed for \(first.route.path).",
            remedy: "Possible: \(allowed).", headers: [HTTPField(name: .allow, value: allowed)])
    }
}
