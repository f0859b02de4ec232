import CFormworkSystem

/// The memory of this process's allocator.
package enum SystemMemory {
    /// Returns free memory to the system, if the C library can do that.
    package static func giveBack() { fw_give_back_memory() }

    /// Has the memory of network buffers kept for the next ones from now on, and freed blocks of 1 MiB and more returned at
    /// once.
    ///
    /// glibc returns every buffer of more than 128 KiB, so that the system fills its pages with zeros again for the next
    /// one: a fifth of the CPU time of an upload. It keeps larger blocks, if blocks of that size were freed before.
    package static func keepNetworkBuffers() { fw_keep_blocks(1 << 20, 4 << 20) }
}
