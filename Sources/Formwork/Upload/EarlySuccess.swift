/// What a 2xx that comes before the body's end says about the body.
package enum EarlySuccess {
    /// A body of at most this many bytes counts as delivered.
    ///
    /// The system's buffers may hold such a body whole before the server looks at any of it. Nothing on the connection then
    /// shows whether the server read it, and when the answer comes is chance. Linux lets a socket's buffer grow to 4 MiB.
    package static let believedLength: Int64 = 4 << 20
}
