import PushPlatform
import VirtualPhones

/// Finds the local files of a profile: attachments and keys. Only files below one folder are used, whatever the profile says.
struct PhoneFiles: Sendable {
    /// The folder; `nil` if no files may be read.
    let folder: String?

    private static let signatureBytes = 16

    init(folder: String?) {
        self.folder = folder.flatMap(realPath(of:))
    }

    /// Notes in a profile what is known of its files.
    func found(for profile: PhoneProfile) -> PhoneProfile {
        var profile = profile
        for index in profile.apps.indices {
            guard var service = profile.apps[index].serviceExtension else { continue }
            if var step = service.attachment {
                step.files = step.files.mapValues(found)
                service.attachment = step
            }
            if var opening = service.opening {
                (opening.keyFile, opening.problem) = path(of: opening.keyFile)
                service.opening = opening
            }
            profile.apps[index].serviceExtension = service
        }
        return profile
    }

    private func found(_ file: PhoneAttachmentFile) -> PhoneAttachmentFile {
        guard file.bytes == nil else { return file }
        var file = file
        (file.path, file.problem) = path(of: file.path)
        guard file.problem == nil else { return file }
        guard let (size, bytes) = LocalFile.read(file.path, atMost: Self.signatureBytes) else {
            file.problem = "the file can't be read"
            return file
        }
        file.content = PhoneAttachmentFile.Content(byteCount: size, beginning: bytes)
        return file
    }

    /// The real path of a file, or the path as it is and what is wrong.
    private func path(of path: String) -> (path: String, problem: String?) {
        guard let folder else {
            return (
                path,
                "the mock reads files only for profiles that it was started with. Give the bytes as base64 instead"
            )
        }
        let wanted = path.hasPrefix("/") ? path : "\(folder)/\(path)"
        guard let real = realPath(of: wanted) else { return (path, "there is no such file") }
        guard real.hasPrefix(folder == "/" ? "/" : "\(folder)/") else {
            return (path, "the file is outside of the folder of the profile")
        }
        return (real, nil)
    }

    /// The bytes of an attachment. The type is that of the bytes, which can have changed since the profile was read.
    ///
    /// - Returns: The bytes and their type; `nil` if the file is gone, or cannot be attached any more.
    static func read(_ attachment: PhoneNotificationCard.Attachment) -> (bytes: [UInt8], type: PhoneAttachmentType)? {
        if let bytes = attachment.file.bytes { return (bytes, attachment.type) }
        guard
            let (_, bytes) = LocalFile.read(
                attachment.file.path, atMost: PhoneAttachmentType.Kind.movie.maximumBytes + 1),
            let type = PhoneAttachmentType.type(of: bytes), bytes.count <= type.kind.maximumBytes
        else { return nil }
        return (bytes, type)
    }
}

/// An ordinary file on this machine. Pipes and devices do not count.
package enum LocalFile {
    /// Reads the size and the first bytes of a file.
    ///
    /// - Parameters:
    ///   - path: The path.
    ///   - count: The maximum number of bytes to read.
    /// - Returns: Both; `nil` if it is no ordinary file, or cannot be read.
    package static func read(_ path: String, atMost count: Int) -> (size: Int, bytes: [UInt8])? {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        // Pipes and devices have no size.
        let size = Int(lseek(file, 0, SEEK_END))
        guard size >= 0, lseek(file, 0, SEEK_SET) == 0 else { return nil }
        guard let bytes = try? SmallFile.read(file, count, expected: size), bytes.count == min(size, count) else {
            return nil
        }
        return (size, bytes)
    }
}
