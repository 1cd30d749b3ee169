import { type SignInContext } from '@create-api/core/internal/sign-in'

// For services of routes, which count requests themselves.
export const uncounted: SignInContext['takeLimit'] = async () => () => {}
