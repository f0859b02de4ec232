import CFormworkSystem

/// The memory of this process's allocator.
package enum SystemMemory {
    /// Returns free memory to the system, if the C library can do that.
    package static func giveBack() { fw_give_back_memory() }

    /// Has freed blocks of 1 MiB and more returned at once from now on. glibc otherwise keeps blocks of sizes that were
    /// freed before.
    package static func returnLargeBlocks() { fw_return_large_blocks(1 << 20) }
}
