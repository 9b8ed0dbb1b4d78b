internal import PushHTTP

/// The inbox page, which the console serves.
enum InboxPage {
    static let page = WebPage(PageFiles.all)
}
