// This is the first file of the module, and it must import PushPlatform and no module of NIO: the C types of a module belong to what
// is imported first, and those that NIO imports have no members here.
import PushPlatform

/// How many files, and so connections, the system allows this process to open.
enum OpenFiles {
    /// Raises the limit to the maximum. Shells start with about 1000 for old programs, and allow far more on request.
    static func allowAsManyAsPossible() { SystemLimit.openFiles.raise() }
}
