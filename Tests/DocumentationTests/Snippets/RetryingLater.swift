import Formwork
import Foundation

func retryingLater(_ plan: BodyPlan) async throws -> BodyPlan {
    let description = try await plan.describe()
    let json = try JSONEncoder().encode(description)
    let again = try await JSONDecoder().decode(PlanDescription.self, from: json).form.plan()
    return again
}
