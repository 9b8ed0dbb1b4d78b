#if os(Linux)
    import PushPlatform

    /// A disk in memory that is soon full. Only root can make one.
    final class SmallDisk {
        let path: String
        private let folder: QueueFolder

        /// Whether this process may make disks.
        static let isPossible = (try? SmallDisk(bytes: 65_536)) != nil

        init(bytes: Int) throws {
            folder = try QueueFolder()
            path = folder.path + "/disk"
            guard mkdir(path, 0o700) == 0 else { throw CannotMount() }
            guard mount("tmpfs", path, "tmpfs", 0, "size=\(bytes)") == 0 else { throw CannotMount() }
        }

        deinit { umount2(path, Int32(MNT_DETACH)) }

        struct CannotMount: Error {}

        /// Takes a number of bytes of the disk.
        func fill(_ bytes: Int) throws {
            try Data(repeating: 1, count: bytes).write(to: URL(filePath: path + "/ballast"))
        }

        /// Gives back what was taken.
        func free() { unlink(path + "/ballast") }
    }
#endif
