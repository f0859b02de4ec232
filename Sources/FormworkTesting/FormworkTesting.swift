// Tests of forms compose them too.
@_exported import Formwork
