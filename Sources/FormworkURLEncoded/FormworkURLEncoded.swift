// An import of FormworkURLEncoded includes the core, such as its errors.
@_exported import FormworkCore
