@_exported import Formwork
// Requests are written with its types.
@_exported import HTTPTypes

#if !NIO
#error("FormworkNIO needs its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#endif
