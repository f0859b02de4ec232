// The whole module requires the trait Hummingbird. Without the trait it is empty, and no dependency is resolved.
#if Hummingbird
@_exported import FormworkHTTP
@_exported import FormworkNIO
import Hummingbird
#if Resumable
@_exported import FormworkResumable
#endif
#elseif FORMWORK_FETCHED
#error("FormworkHummingbird is empty without its trait: .package(url: …, from: …, traits: [\"Hummingbird\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkHummingbird is empty without its trait: .package(url: …, from: …, traits: [\"Hummingbird\"])")
#endif
