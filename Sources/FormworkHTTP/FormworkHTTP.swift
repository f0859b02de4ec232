// The whole module requires the trait NIO. Without the trait it is empty, and no dependency is resolved.
#if NIO
@_exported import Formwork
#elseif FORMWORK_FETCHED
#error("FormworkHTTP is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkHTTP is empty without its trait: .package(url: …, from: …, traits: [\"NIO\"])")
#endif
