import PushHTTP

/// A route of the service. Its scope is what a key must be allowed to do; `nil` if no key is needed.
typealias ServiceRoute = WebRoute<APIRequest>

extension WebPage {
    /// The page at `/`. Its files hold no secret, so they need no key.
    static let service = WebPage(PageFiles.all)
}
