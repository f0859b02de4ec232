// All of this module needs the trait Client: without it the module is empty, and its dependencies aren't resolved.
#if Client
@_exported import FormworkNIO
@_exported import FormworkResumable
@_exported import HTTPTypes
#elseif FORMWORK_FETCHED
#error("FormworkClient is empty without its trait: .package(url: …, from: …, traits: [\"Client\"])")
#elseif !FORMWORK_CHECKOUT
#warning("FormworkClient is empty without its trait: .package(url: …, from: …, traits: [\"Client\"])")
#endif
