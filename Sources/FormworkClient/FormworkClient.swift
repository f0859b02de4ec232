@_exported import FormworkNIO
@_exported import FormworkResumable
@_exported import HTTPTypes

#if !Client
#error("FormworkClient needs its trait: .package(url: …, from: …, traits: [\"Client\"])")
#endif
