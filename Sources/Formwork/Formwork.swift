// Whoever imports Formwork has the values of its core too.
@_exported import FormworkCore
// Paths and descriptors, whose package nobody should have to name for them.
@_exported import SystemPackage
