// The whole module requires the trait Resumable. Without the trait it is empty, and no dependency is resolved.
#if Resumable
@_exported import FormworkHTTP
@_exported import HTTPTypes
#elseif FORMWORK_FETCHED
#error("FormworkResumable is empty without its trait: .package(url: …, from: …, traits: [\"Resumable\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkResumable is empty without its trait: .package(url: …, from: …, traits: [\"Resumable\"])")
#endif
