// What FormworkFoundation uses of Apple's Foundation and Core Foundation and the open Foundation lacks, as Apple's
// documentation declares it. Only typechecked, by scripts/check-platforms.
import Dispatch
import Foundation

typealias CFTypeID = UInt
func CFGetTypeID(_ value: AnyObject!) -> CFTypeID { 0 }
func CFBooleanGetTypeID() -> CFTypeID { 0 }

typealias CFWriteStream = OutputStream
func CFWriteStreamSetDispatchQueue(_ stream: CFWriteStream!, _ queue: DispatchQueue!) {}

extension Stream {
    /// The pointers are `AutoreleasingUnsafeMutablePointer` there, which takes the same arguments.
    class func getBoundStreams(
        withBufferSize bufferSize: Int, inputStream: UnsafeMutablePointer<InputStream?>?,
        outputStream: UnsafeMutablePointer<OutputStream?>?
    ) {}
}

/// Foundation's NSURLProtectionSpace.h.
let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
let NSURLAuthenticationMethodClientCertificate = "NSURLAuthenticationMethodClientCertificate"
