import { ApiError } from '../errors/api-error.ts'
import { type Route, toResponses } from '../route/route.ts'

/**
 * Returns the status of a successful response: the one that the route declares, or the one that the handler has set among
 * several. `set` is 200 unless the handler has set another one.
 */
export type StatusChoice = (set: number, hasData: boolean) => number

// Throws ApiError for a response that the OpenAPI document does not describe.
export function createStatusChoice(route: Route, name: string): StatusChoice {
  const responses = toResponses(route)
  // It describes no data, which only the compiler rejects.
  const isOpen = route.response === undefined
  const listStatuses = (hasData: boolean): number[] =>
    [...responses].flatMap(([status, schema]) => ((schema !== undefined) === hasData ? status : []))
  const withData = isOpen ? [route.status ?? 200] : listStatuses(true)
  const withoutData = listStatuses(false)
  return (set, hasData) => {
    const declared = hasData ? withData : withoutData
    const [first] = declared
    if (declared.includes(set)) return set
    if (set === 200 && first !== undefined && declared.length === 1) return first
    if (isOpen && hasData) return set
    const how = hasData ? 'with data' : 'without data'
    const fix = hasData ? `${set}: schema` : `${set === 200 ? 204 : set}: undefined`
    throw new ApiError('internal_error', {
      cause: new Error(
        `${name} sends the status ${set} ${how}, which its response does not describe. Declare it: status: ${set}, or response: { …, ${fix} }.`,
      ),
    })
  }
}
