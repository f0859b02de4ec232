@_exported import FormworkHTTP
@_exported import HTTPTypes

#if !NIO
#error("FormworkResumable needs its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#endif
