// All of this module is behind the trait Resumable: without it there is nothing in here, and nothing is resolved.
#if Resumable
@_exported import FormworkHTTP
@_exported import HTTPTypes
#elseif FORMWORK_FETCHED
#error("FormworkResumable is empty without its trait: .package(url: …, from: …, traits: [\"Resumable\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkResumable is empty without its trait: .package(url: …, from: …, traits: [\"Resumable\"])")
#endif
