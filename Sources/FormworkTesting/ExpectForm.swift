import FormworkCore

/// Compares a form with the one that was expected: parts in their order, with their names, filenames, types and contents.
///
/// Boundaries, and header fields besides these, may differ.
///
/// ```
/// @Test func sends() async throws {
///     let receiver = try LoopbackReceiver()
///     try await client.send(photo, to: receiver.url)
///     try await expectForm(receiver.nextRequest(), equals: FormData([BodyPart(name: "photo", file: photo)]))
/// }
/// ```
/// - Parameters:
///   - actual: What came.
///   - expected: What should have come.
/// - Throws: ``FormDifference``.
public func expectForm(_ actual: ObservedForm, equals expected: ObservedForm) throws(FormDifference) {
    if let difference = FormDifference(of: actual, from: expected) { throw difference }
}

/// Compares a form with the one that was expected, which is composed and read for it: every byte of it once.
/// - Throws: ``FormDifference``, and what ``ObservedForm/init(_:keeping:)-(BodyPlan,_)`` throws for `expected`.
public func expectForm(_ actual: ObservedForm, equals expected: FormData) async throws {
    try expectForm(actual, equals: try await ObservedForm(expected.plan()))
}

/// Compares a form that was collected with the one that was expected, which is composed and read for it.
/// - Throws: ``FormDifference``, and what ``ObservedForm`` throws for either.
public func expectForm(_ actual: ReceivedForm, equals expected: FormData) async throws {
    try await expectForm(ObservedForm(actual), equals: expected)
}

/// Compares what a receiver was sent with the form that was expected, which is composed and read for it.
/// - Throws: ``FormDifference``, what ``LoopbackReceiver/Request/form`` throws for a body that is no form or isn't whole, and
///   what ``ObservedForm/init(_:keeping:)-(BodyPlan,_)`` throws for `expected`.
public func expectForm(_ request: LoopbackReceiver.Request, equals expected: FormData) async throws {
    try await expectForm(request.form, equals: expected)
}
