#if Hummingbird
import NIOCore

/// The connection or stream of the request that the current task answers, if the server provides it.
enum ServerChannel {
    @TaskLocal static var current: (any Channel)?
}
#endif
