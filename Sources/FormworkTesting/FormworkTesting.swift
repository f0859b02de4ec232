// Whoever tests forms composes them too.
@_exported import Formwork
