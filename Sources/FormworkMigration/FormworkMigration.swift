@_exported import FormworkFoundation
