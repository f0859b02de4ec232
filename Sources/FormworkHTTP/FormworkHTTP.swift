@_exported import Formwork

#if !NIO
#error(
    """
    This module needs the trait of the module that is used: traits: ["NIO"] for FormworkHTTP, FormworkNIO and FormworkResumable, \
    ["Client"] for FormworkClient, ["Hummingbird"] for FormworkHummingbird.
    """)
#endif
