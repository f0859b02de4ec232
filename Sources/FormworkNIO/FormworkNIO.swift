// All of this module is behind the trait NIO: without it there is nothing in here, and nothing is resolved.
#if NIO
@_exported import Formwork
// A request is written in its terms.
@_exported import HTTPTypes
#if Resumable
@_exported import FormworkResumable
#endif
#elseif FORMWORK_FETCHED
#error("FormworkNIO is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkNIO is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#endif
