// Foundation without its larger parts, where the system has them apart: FoundationInternationalization alone is 30 MB.
#if canImport(FoundationEssentials)
@_exported import FoundationEssentials
#else
@_exported import Foundation
#endif
