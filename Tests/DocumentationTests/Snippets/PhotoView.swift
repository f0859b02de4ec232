import Foundation

#if canImport(SwiftUI)
import PhotosUI
import SwiftUI

struct PhotoView: View {
    let url: URL
    @State private var upload = PhotoUpload()
    @State private var item: PhotosPickerItem?
    @State private var result = ""

    var body: some View {
        PhotosPicker("Upload a photo", selection: $item, matching: .images, preferredItemEncoding: .compatible)
        ProgressView(value: upload.fraction ?? 0)
        Text(result).task(id: item) {
            do {
                guard let photo = try await item?.loadTransferable(type: Data.self) else { return }
                result = "\(try await upload.send(photo, to: url))"
            } catch {
                result = "\(error)"
            }
        }
    }
}
#endif
