import CNGHTTP2
import Testing

@testable import PushWire

@Suite struct LibraryAllocatorTests {
    private let allocator = LibraryAllocator()

    private func take(_ size: Int) throws -> UnsafeMutableRawPointer {
        let callbacks = allocator.callbacks
        return try #require(callbacks.malloc(size, callbacks.mem_user_data))
    }

    private func give(_ block: UnsafeMutableRawPointer?) {
        let callbacks = allocator.callbacks
        callbacks.free(block, callbacks.mem_user_data)
    }

    private func resize(_ block: UnsafeMutableRawPointer?, _ size: Int) throws -> UnsafeMutableRawPointer {
        let callbacks = allocator.callbacks
        return try #require(callbacks.realloc(block, size, callbacks.mem_user_data))
    }

    @Test(arguments: [0, 1, 63, 64, 65, 2047, 2048, 2049, 100_000])
    func `a block is aligned, and writable from end to end`(size: Int) throws {
        let block = try take(size)
        #expect(Int(bitPattern: block) % 16 == 0)
        block.initializeMemory(as: UInt8.self, repeating: 0xA5, count: size)
        let neighbour = try take(size)
        neighbour.initializeMemory(as: UInt8.self, repeating: 0x5A, count: size)
        #expect(UnsafeRawBufferPointer(start: block, count: size).allSatisfy { $0 == 0xA5 })
        give(block)
        give(neighbour)
    }

    @Test func `what was given back is used again, the last one first`() throws {
        let (first, second) = (try take(200), try take(200))
        give(first)
        give(second)
        #expect(try take(193) == second)
        #expect(try take(256) == first)
        #expect(try take(200) != first)
    }

    @Test func `zeroed memory is zero after use too`() throws {
        let used = try take(300)
        used.initializeMemory(as: UInt8.self, repeating: 0xFF, count: 300)
        give(used)
        let callbacks = allocator.callbacks
        let zeroed = try #require(callbacks.calloc(3, 100, callbacks.mem_user_data))
        #expect(zeroed == used)
        #expect(UnsafeRawBufferPointer(start: zeroed, count: 300).allSatisfy { $0 == 0 })
        #expect(callbacks.calloc(.max, 2, callbacks.mem_user_data) == nil)
        #expect(callbacks.malloc(.max, callbacks.mem_user_data) == nil)
        give(zeroed)
    }

    /// Within a class, to a larger one, out of the classes, and all the way back.
    @Test func `a block that changes its size keeps what fits`() throws {
        var block = try resize(nil, 10)
        var kept = 10
        block.initializeMemory(as: UInt8.self, repeating: 7, count: 10)
        for size in [64, 65, 2000, 2048, 2049, 5000, 70_000, 3000, 2000, 65, 10] {
            block = try resize(block, size)
            kept = min(kept, size)
            #expect(UnsafeRawBufferPointer(start: block, count: kept).allSatisfy { $0 == 7 }, "at \(size)")
            block.initializeMemory(as: UInt8.self, repeating: 7, count: size)
            kept = size
        }
        give(block)
    }

    @Test func `nothing is given back without harm`() {
        give(nil)
    }
}
