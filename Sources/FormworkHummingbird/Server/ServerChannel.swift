#if Hummingbird
import NIOCore

/// The connection or stream of the request that a task answers, where the server says so.
enum ServerChannel {
    @TaskLocal static var current: (any Channel)?
}
#endif
