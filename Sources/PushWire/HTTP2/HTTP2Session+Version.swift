internal import CNGHTTP2

extension HTTP2Session {
    /// The version of nghttp2, for example `1.52.0`. It is read at run time, so it is the installed library.
    package static var libraryVersion: String {
        nghttp2_version(0).map { String(cString: $0.pointee.version_str) } ?? "unknown"
    }
}
