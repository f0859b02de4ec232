import Formwork

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Date: FormMoment {}
