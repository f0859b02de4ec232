// Whoever imports Formwork has the values of its core too.
@_exported import FormworkCore
