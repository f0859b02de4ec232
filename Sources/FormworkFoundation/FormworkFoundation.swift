@_exported import Formwork
@_exported import FormworkURLEncoded
