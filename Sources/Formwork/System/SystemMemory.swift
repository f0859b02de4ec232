import CFormworkSystem

/// The memory that this process's allocator keeps.
package enum SystemMemory {
    /// Gives the system what is free of it, where the C library can.
    package static func giveBack() { fw_give_back_memory() }
}
