// Importing Formwork imports its core too.
@_exported import FormworkCore
// Callers need paths and descriptors without another import.
@_exported import SystemPackage
