/// What ``MultipartFormData`` does where Alamofire's bytes or silence lose data.
public enum AlamofireCompatibility: Sendable {
    /// Nothing is lost: names are escaped as browsers do, types come from ``MediaTypeTable``, a content that is shorter
    /// or longer than declared is an error on disk too, and parts from data and files can be encoded again.
    case safe
    /// As Alamofire 5.12 on Linux: names as they are, files of no type, a file of the form cut or left short where a
    /// content is longer or shorter than declared, everything read once. Take it to reproduce its bytes.
    case exact
}
