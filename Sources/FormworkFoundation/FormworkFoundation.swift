@_exported import Formwork
@_exported import FormworkValues
@_exported import FormworkURLEncoded

// Requests and sessions are in a module of their own on Linux; whoever imports Alamofire there has it too.
#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
