@_exported import FormworkHTTP
@_exported import FormworkNIO
@_exported import FormworkResumable
import Hummingbird

#if !Hummingbird
#error("FormworkHummingbird needs its trait: .package(url: …, from: …, traits: [\"Hummingbird\"])")
#endif
