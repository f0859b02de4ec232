@_exported import Formwork
@_exported import FormworkValues
@_exported import FormworkURLEncoded

// Requests and sessions are in a separate module on Linux; an import of Alamofire there includes it too.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
