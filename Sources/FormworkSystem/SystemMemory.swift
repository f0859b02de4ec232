import CFormworkSystem

/// The memory of this process's allocator.
package enum SystemMemory {
    /// Returns free memory to the system, if the C library can do that.
    package static func giveBack() { fw_give_back_memory() }
}
