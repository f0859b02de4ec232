// Whoever imports FormworkURLEncoded has the values of the core too: its errors.
@_exported import FormworkCore
