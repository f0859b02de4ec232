// All of this module is behind the trait NIO: without it there is nothing in here, and nothing is resolved.
#if NIO
@_exported import Formwork
#elseif FORMWORK_FETCHED
#error("FormworkHTTP is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkHTTP is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#endif
