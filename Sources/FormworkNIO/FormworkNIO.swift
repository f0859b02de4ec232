// The whole module requires the trait NIO. Without the trait it is empty, and no dependency is resolved.
#if NIO
@_exported import Formwork
// Requests are written with its types.
@_exported import HTTPTypes
#if Resumable
@_exported import FormworkResumable
#endif
#elseif FORMWORK_FETCHED
#error("FormworkNIO is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkNIO is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#endif
