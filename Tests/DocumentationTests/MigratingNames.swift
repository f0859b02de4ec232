import Formwork
import FormworkFoundation
import FormworkMigration
import FormworkURLEncoded
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// Every public name of Alamofire's body types, 4.9 to 5.12, and the name here of each of AFNetworking's calls, as Migrating.md
// promises them. Compiling is the test; `SnippetTests` compares the article's tables with this file.

func alamofireForms(_ url: URL, _ stream: InputStream) throws -> [Any] {
    let form = MultipartFormData(fileManager: .default, boundary: "b")
    form.append(Data(), withName: "a")
    form.append(Data(), withName: "a", mimeType: "b/c")
    form.append(Data(), withName: "a", fileName: "f", mimeType: "b/c")
    form.append(url, withName: "a")
    form.append(url, withName: "a", fileName: "f", mimeType: "b/c")
    form.append(stream, withLength: 1, name: "a", fileName: "f", mimeType: "b/c")
    form.append(stream, withLength: 1, headers: HTTPHeaders())
    try form.writeEncodedData(to: url)
    _ = URLEncodedFormDecoder()
    return [
        MultipartFormData.encodingMemoryThreshold, form.contentType, form.contentLength, form.boundary,
        try form.encode(),
        try form.plan().contentLength as Any, try form.build(encodingMemoryThreshold: 0),
    ]
}

func alamofireParameters(_ request: URLRequest, _ parameters: Parameters) throws -> [URLRequest] {
    let encodings: [any ParameterEncoding] = [
        URLEncoding.default, URLEncoding.methodDependent, URLEncoding.queryString, URLEncoding.httpBody,
        URLEncoding(destination: .methodDependent, arrayEncoding: .brackets, boolEncoding: .numeric),
        URLEncoding(destination: .queryString, arrayEncoding: .noBrackets, boolEncoding: .literal),
        URLEncoding(destination: .httpBody, arrayEncoding: .indexInBrackets),
        URLEncoding(arrayEncoding: .custom { "\($0).\($1)" }),
        JSONEncoding.default, JSONEncoding.prettyPrinted, JSONEncoding(options: .sortedKeys),
        PropertyListEncoding.default, PropertyListEncoding.xml, PropertyListEncoding.binary,
        PropertyListEncoding(format: .xml, options: 0),
    ]
    let encoders: [any ParameterEncoder] = [
        JSONParameterEncoder.default, JSONParameterEncoder.prettyPrinted, JSONParameterEncoder.sortedKeys, .json,
        .json(encoder: JSONEncoder()), URLEncodedFormParameterEncoder.default, .urlEncodedForm,
        .urlEncodedForm(encoder: URLEncodedFormEncoder(), destination: .httpBody),
        URLEncodedFormParameterEncoder(encoder: URLEncodedFormEncoder(), destination: .queryString),
    ]
    _ = (URLEncoding.default.escape("a"), URLEncoding.default.queryComponents(fromKey: "a", value: 1))
    return try encodings.map { try $0.encode(request, with: parameters) }
        + encoders.map { try $0.encode(["a": 1], into: request) }
        + [try JSONEncoding.default.encode(request, withJSONObject: [1])]
}

func alamofireEncoders(_ refusal: any Error) -> [URLEncodedFormEncoder] {
    let nils: [URLEncodedFormEncoder.NilEncoding] = [
        .dropKey, .dropValue, .null, .init { "nil" }, .init { throw refusal },
    ]
    let paths: [URLEncodedFormEncoder.KeyPathEncoding] = [.brackets, .dots, .init { "/\($0)" }]
    let keys: [URLEncodedFormEncoder.KeyEncoding] = [
        .useDefaultKeys, .convertToSnakeCase, .convertToKebabCase, .capitalized, .uppercased, .lowercased,
        .custom { $0 },
    ]
    let dates: [URLEncodedFormEncoder.DateEncoding] = [
        .deferredToDate, .secondsSince1970, .millisecondsSince1970, .iso8601, .formatted(DateFormatter()),
        .custom { "\($0)" },
    ]
    let data: [URLEncodedFormEncoder.DataEncoding] = [.deferredToData, .base64, .custom { "\($0)" }]
    let arrays: [URLEncodedFormEncoder.ArrayEncoding] = [
        .brackets, .noBrackets, .indexInBrackets, .custom { "\($0)\($1)" },
    ]
    let whole = URLEncodedFormEncoder(
        alphabetizeKeyValuePairs: true, arrayEncoding: .brackets, boolEncoding: .literal, dataEncoding: .base64,
        dateEncoding: .iso8601, keyEncoding: .capitalized, keyPathEncoding: .dots, nilEncoding: .null,
        spaceEncoding: .plusReplaced, allowedCharacters: .afURLQueryAllowed)
    _ = (
        whole.alphabetizeKeyValuePairs, whole.arrayEncoding, whole.boolEncoding, whole.dataEncoding, whole.dateEncoding,
        whole.keyEncoding, whole.keyPathEncoding, whole.nilEncoding, whole.spaceEncoding, whole.allowedCharacters
    )
    return [whole, URLEncodedFormEncoder(boolEncoding: .numeric, spaceEncoding: .percentEscaped)]
        + nils.map { URLEncodedFormEncoder(nilEncoding: $0) } + paths.map { URLEncodedFormEncoder(keyPathEncoding: $0) }
        + keys.map { URLEncodedFormEncoder(keyEncoding: $0) } + dates.map { URLEncodedFormEncoder(dateEncoding: $0) }
        + data.map { URLEncodedFormEncoder(dataEncoding: $0) } + arrays.map { URLEncodedFormEncoder(arrayEncoding: $0) }
}

func alamofireErrors(_ url: URL, _ cause: any Error) -> [AFError] {
    let reasons: [AFError.MultipartEncodingFailureReason] = [
        .bodyPartURLInvalid(url: url), .bodyPartFilenameInvalid(in: url), .bodyPartFileNotReachable(at: url),
        .bodyPartFileNotReachableWithError(atURL: url, error: cause), .bodyPartFileIsDirectory(at: url),
        .bodyPartFileSizeNotAvailable(at: url), .bodyPartFileSizeQueryFailedWithError(forURL: url, error: cause),
        .bodyPartInputStreamCreationFailed(for: url), .outputStreamCreationFailed(for: url),
        .outputStreamFileAlreadyExists(at: url), .outputStreamURLInvalid(url: url),
        .outputStreamWriteFailed(error: cause),
        .inputStreamReadFailed(error: AFError.UnexpectedInputStreamLength(bytesExpected: 2, bytesRead: 1)),
    ]
    let errors: [AFError] = [
        .invalidURL(url: "x"), .parameterEncodingFailed(reason: .missingURL),
        .parameterEncodingFailed(reason: .jsonEncodingFailed(error: JSONEncoding.Error.invalidJSONObject)),
        .parameterEncodingFailed(reason: .propertyListEncodingFailed(error: cause)),
        .parameterEncodingFailed(reason: .customEncodingFailed(error: cause)),
        .parameterEncoderFailed(reason: .missingRequiredComponent(.url)),
        .parameterEncoderFailed(reason: .missingRequiredComponent(.httpMethod(rawValue: "X"))),
        .parameterEncoderFailed(
            reason: .encoderFailed(error: URLEncodedFormEncoder.Error.invalidRootObject("a number"))),
    ]
    return (errors + reasons.map { .multipartEncodingFailed(reason: $0) }).filter { error in
        let kinds = [
            error.isInvalidURLError, error.isMultipartEncodingError, error.isParameterEncodingError,
            error.isParameterEncoderError,
        ]
        _ = (error.url, error.urlConvertible, error.underlyingError, error.asAFError, error.asAFError(orFailWith: ""))
        // Each is one kind, and a sentence.
        return kinds.count { $0 } == 1 && error.localizedDescription == error.errorDescription
            && error.localizedDescription.hasSuffix(".")
    }
}

func alamofireRequests() throws -> [any URLRequestConvertible] {
    var headers: HTTPHeaders = [
        .accept("a"), .acceptCharset("a"), .acceptLanguage("a"), .acceptEncoding("a"), .contentDisposition("a"),
        .contentEncoding("a"), .contentType("a"), .userAgent("a"), .websocketProtocol("a"), .authorization("a"),
        .authorization(bearerToken: "a"), .authorization(username: "a", password: "b"), .defaultAcceptEncoding,
        .defaultAcceptLanguage, .defaultUserAgent,
    ]
    headers.add(name: "a", value: "b")
    headers.add(HTTPHeader(name: "a", value: "b"))
    headers.update(name: "a", value: "b")
    headers.update(.accept("a"))
    headers.remove(name: "a")
    headers.sort()
    headers["b"] = headers.value(for: "a")
    _ = (headers.sorted().dictionary, HTTPHeaders.default, HTTPHeaders(["a": "b"]), HTTPHeaders([.accept("a")]))
    let methods: [HTTPMethod] = [.connect, .delete, .get, .head, .options, .patch, .post, .put, .query, .trace]
    let urls: [any URLConvertible] = ["http://a.b", URL(fileURLWithPath: "/"), URLComponents()]
    var request = try URLRequest(url: urls[0], method: methods[6], headers: headers)
    (request.method, request.headers) = (.put, headers)
    return [request, try request.asURLRequest(), try URLRequest(url: urls[1].asURL())]
}

func afnetworkingSerializers(_ url: URL) throws -> [any RequestSerializer & Codable] {
    var settings = RequestSettings()
    settings.querySerialization = { _, parameters in try RequestSettings().dialect.encode(parameters) }
    settings.methodsEncodingParametersInURL = ["GET"]
    settings.stringEncoding = .utf8
    settings.mediaTypes["own"] = MediaTypeTable.mediaType(forExtension: "bin")
    (settings.allowsCellularAccess, settings.cachePolicy) = (true, .useProtocolCachePolicy)
    (settings.httpShouldHandleCookies, settings.httpShouldUsePipelining) = (true, false)
    (settings.networkServiceType, settings.timeoutInterval) = (.default, 60)
    let headers: any Codable = settings.headers
    _ = (settings as any Codable, headers, URLEncodedDialect.afnetworking3.values.encode("a"))
    var http = HTTPRequestSerializer(settings: settings)
    http.querySerialization = nil
    _ = try http.request(method: "GET", url: url, parameters: ["a": 1])
    _ = try http.request(method: "GET", url: url, object: ["a": 1])
    let upload = try http.multipartFormRequest(
        method: "POST", url: url, parameters: ["a": 1], constructing: { $0.throttle(packetSize: 1, delay: .zero) })
    try upload.write(to: url)
    return [http, JSONRequestSerializer(settings: settings), PropertyListRequestSerializer(settings: settings)]
}

func afnetworkingUpload(_ upload: MultipartRequest, _ plan: BodyPlan, _ session: URLSession) async throws -> URLRequest
{
    var request = upload.streamingRequest()
    request.setBody(plan, options: upload.options.reading)
    _ = (plan.makeInputStream(options: upload.options.reading), BodyInputStreams(plan))
    _ = try await session.upload(plan, with: request)
    return request
}

func facebookNames() throws -> [Any?] {
    [
        FacebookQuery.encode("a"), FacebookQuery.decode("a"), try FacebookQuery.dictionary(of: "a=b"),
        try FacebookQuery.query(of: ["a": "b"], compatibility: .exact), try FacebookQuery.json(of: ["a"]),
    ]
}
