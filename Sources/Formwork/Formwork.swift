// Importing Formwork imports its core, and the dialects of url-encoded text, too.
@_exported import FormworkCore
@_exported import FormworkURLEncoded
// Callers need paths and descriptors without another import.
@_exported import SystemPackage
