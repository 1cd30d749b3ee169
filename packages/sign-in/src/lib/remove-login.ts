import { ApiError } from '@create-api/core'
import { majority } from '@create-api/core/internal/sign-in'
import { type Model, type QueryFilter } from 'mongoose'
import { signInErrors } from './errors.ts'

// What a user logs in with, such as a passkey.
interface Login {
  /** Whether its removal has begun: it does not count as a way to log in. */
  readonly isLeaving: boolean
}

// Removes a login of a user who can log in without it. Marked before it is decided: of two concurrent removals, at least one
// finds the login of the other one leaving. Throws ApiError `not_found` or `last_login_method`.
export async function removeLogin<T extends Login>(
  model: Model<T>,
  filter: QueryFilter<T>,
  canLogIn: () => Promise<boolean>,
): Promise<void> {
  const mark = async (isLeaving: boolean): Promise<boolean> =>
    (await model.updateOne(filter, { $set: { isLeaving } }, majority)).matchedCount > 0
  if (!(await mark(true))) throw new ApiError('not_found')
  if (!(await canLogIn())) {
    await mark(false)
    throw new ApiError(signInErrors.last_login_method)
  }
  const { deletedCount } = await model.deleteOne(filter, majority)
  if (deletedCount === 0) throw new ApiError('not_found')
}
