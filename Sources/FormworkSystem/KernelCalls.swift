import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// Unsafe code in this file: the C library's functions whose names ``SystemCalls`` uses itself. Inside it, `read` means its
// own `read`, and the C library has another module name on each system.

@inline(__always)
func kernelOpen(_ path: UnsafePointer<CChar>, _ flags: CInt, _ permissions: FilePermissions) -> CInt {
    unsafe open(path, flags, mode_t(permissions.rawValue))
}

@inline(__always)
func kernelRead(_ descriptor: CInt, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    unsafe read(descriptor, bytes, count)
}

@inline(__always)
func kernelWrite(_ descriptor: CInt, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    unsafe write(descriptor, bytes, count)
}

@inline(__always)
func kernelClose(_ descriptor: CInt) -> CInt { close(descriptor) }

@inline(__always)
func kernelRename(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> CInt { unsafe rename(old, new) }

@inline(__always)
func kernelLink(_ old: UnsafePointer<CChar>, _ new: UnsafePointer<CChar>) -> CInt { unsafe link(old, new) }

@inline(__always)
func kernelUnlink(_ path: UnsafePointer<CChar>) -> CInt { unsafe unlink(path) }

@inline(__always)
func kernelKill(_ process: CInt) -> CInt { kill(process, SIGKILL) }

@inline(__always)
func kernelExit(_ status: CInt) -> Never { exit(status) }
