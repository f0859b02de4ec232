#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable

// Saves the state that a later process needs.
extension ResumableSend {
    /// Saves the upload if it has changed.
    mutating func keep() {
        guard let link = self.client.link, link != self.saved else {
            if self.client.link == nil, self.saved != nil { self.forget() }
            return
        }
        self.saved = link
        self.remember(link)
    }

    mutating func forget() {
        self.saved = nil
        self.remember(nil)
    }

    mutating func remember(_ link: UploadLink?) {
        guard link != nil || self.isKept else { return }
        self.isKept = link != nil
        do { try self.save(link) } catch { self.failure = error }
    }
}
#endif
