import FormworkCore

/// Compares a form with the expected one: its parts in order, with their names, filenames, types and contents.
///
/// Boundaries and other header fields may differ.
///
/// ```swift
/// import Testing
///
/// @Test func sends() async throws {
///     let form = FormData([BodyPart(name: "title", value: "Harbour at dawn")])
///     let receiver = try LoopbackReceiver()
///     _ = try await send(form, to: receiver.url)
///     try await expectForm(receiver.nextRequest(), equals: form)
/// }
/// ```
/// - Parameters:
///   - actual: The form that arrived.
///   - expected: The form that should have arrived.
/// - Throws: ``FormDifference``.
public func expectForm(_ actual: ObservedForm, equals expected: ObservedForm) throws(FormDifference) {
    if let difference = FormDifference(of: actual, from: expected) { throw difference }
}

/// Compares a form with the expected one, which is composed and read completely for the comparison.
/// - Throws: ``FormDifference``, and the errors of ``ObservedForm/init(_:keeping:)-(BodyPlan,_)`` for `expected`.
public func expectForm(_ actual: ObservedForm, equals expected: FormData) async throws {
    try expectForm(actual, equals: try await ObservedForm(expected.plan()))
}

/// Compares a collected form with the expected one, which is composed and read for the comparison.
/// - Throws: ``FormDifference``, and the errors of ``ObservedForm`` for either form.
public func expectForm(_ actual: ReceivedForm, equals expected: FormData) async throws {
    try await expectForm(ObservedForm(actual), equals: expected)
}

/// Compares a request to a receiver with the expected form, which is composed and read for the comparison.
/// - Throws: ``FormDifference``; the errors of ``LoopbackReceiver/Request/form`` for a body that isn't a form or isn't
///   complete; the errors of ``ObservedForm/init(_:keeping:)-(BodyPlan,_)`` for `expected`.
public func expectForm(_ request: LoopbackReceiver.Request, equals expected: FormData) async throws {
    try await expectForm(request.form, equals: expected)
}
