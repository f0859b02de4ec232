import Formwork
import Foundation

func retryingLater(_ plan: BodyPlan) throws -> BodyPlan {
    let description = try plan.describe()
    let json = try JSONEncoder().encode(description)
    let again = try JSONDecoder().decode(PlanDescription.self, from: json).form.plan()
    return again
}
