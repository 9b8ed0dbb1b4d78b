internal import CNGHTTP2
internal import PushPlatform

/// The memory allocator of one nghttp2 session. Small freed blocks are stored for the next stream.
///
/// A stream needs about a dozen blocks of a few sizes, and a thousand streams begin and end together. That is more than
/// a general allocator caches for a thread, and its slow path was a tenth of the cost of a send. Only one thread may
/// use it at a time, like the session.
final class LibraryAllocator {
    /// The size of the prefix of each block, in bytes. It contains the size class, and keeps the block aligned for any
    /// type.
    fileprivate static let prefix = 16
    /// The difference between two size classes, in bytes.
    private static let step = 64
    /// The number of size classes. Blocks larger than `step * classes` bytes are rare, and are not stored.
    private static let classes = 32
    private static let unkept = classes

    /// The maximum size of all stored blocks, in bytes: slightly more than a thousand open streams need. Further blocks
    /// are freed.
    private static let maximumKept = 4 << 20

    private let kept: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    @exclusivity(unchecked) private var keptBytes = 0

    init() {
        kept = .allocate(capacity: Self.classes)
        kept.initialize(repeating: nil, count: Self.classes)
    }

    deinit {
        for index in 0..<Self.classes {
            while let block = kept[index] {
                kept[index] = block.load(as: UnsafeMutableRawPointer?.self)
                free(block)
            }
        }
        kept.deallocate()
    }

    /// The allocator for nghttp2. It must not be used after this object is released.
    var callbacks: nghttp2_mem {
        nghttp2_mem(
            mem_user_data: Unmanaged.passUnretained(self).toOpaque(),
            malloc: { size, allocator in withAllocator(allocator) { $0.allocate(size) } },
            free: { block, allocator in withAllocator(allocator) { $0.give(block) } },
            calloc: { count, size, allocator in
                let (bytes, overflow) = count.multipliedReportingOverflow(by: size)
                guard !overflow, let block = withAllocator(allocator, { $0.allocate(bytes) }) else { return nil }
                memset(block, 0, bytes)
                return block
            },
            realloc: { block, size, allocator in withAllocator(allocator) { $0.resize(block, size) } }
        )
    }

    private func allocate(_ size: Int) -> UnsafeMutableRawPointer? {
        guard size <= Int.max - Self.prefix else { return nil }
        let index = size == 0 ? 0 : (size - 1) / Self.step
        if index < Self.classes {
            if let block = kept[index] {
                kept[index] = block.load(as: UnsafeMutableRawPointer?.self)
                keptBytes -= Self.room(index)
                return block.marked(index)
            }
            return malloc(Self.prefix + Self.room(index))?.marked(index)
        }
        return malloc(Self.prefix + size)?.marked(Self.unkept)
    }

    private func give(_ block: UnsafeMutableRawPointer?) {
        guard let start = block.map({ $0 - Self.prefix }) else { return }
        let index = start.load(as: Int.self)
        guard index < Self.classes, keptBytes < Self.maximumKept else { return free(start) }
        start.storeBytes(of: kept[index], as: UnsafeMutableRawPointer?.self)
        kept[index] = start
        keptBytes += Self.room(index)
    }

    private func resize(_ block: UnsafeMutableRawPointer?, _ size: Int) -> UnsafeMutableRawPointer? {
        guard let block else { return allocate(size) }
        let start = block - Self.prefix
        let index = start.load(as: Int.self)
        if index == Self.unkept, size > Self.room(Self.classes - 1) {
            return realloc(start, Self.prefix + size)?.marked(Self.unkept)
        }
        if index < Self.classes, size <= Self.room(index) { return block }
        guard let larger = allocate(size) else { return nil }
        // A block without a size class is larger than all others, so `size` is the smaller one here.
        memcpy(larger, block, index < Self.classes ? Self.room(index) : size)
        give(block)
        return larger
    }

    private static func room(_ index: Int) -> Int { (index + 1) * step }
}

extension UnsafeMutableRawPointer {
    /// Writes the size class at the start, and returns the block after the prefix.
    fileprivate func marked(_ index: Int) -> UnsafeMutableRawPointer {
        storeBytes(of: index, as: Int.self)
        return self + LibraryAllocator.prefix
    }
}

@inline(__always)
private func withAllocator<Result>(_ allocator: UnsafeMutableRawPointer?, _ body: (LibraryAllocator) -> Result)
    -> Result
{
    // nghttp2 passes the given pointer, which is never null.
    Unmanaged<LibraryAllocator>.fromOpaque(allocator.unsafelyUnwrapped)._withUnsafeGuaranteedRef(body)
}
