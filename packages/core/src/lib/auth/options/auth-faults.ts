import { type ConfigProblem, type Environment, type Unfinished } from '../../options/options.ts'
import { type DefinedRoles, findAdminRoleFault } from '../users/define-roles.ts'
import { findIdentifierFault } from '../users/identifier.ts'
import { type UserFields } from '../users/user-fields.ts'
import { type AuthValues } from './auth-options.ts'

type Known = Unfinished<AuthValues>

export interface FaultContext {
  readonly environment: Environment | undefined
  /** Names an option, such as `mail.from`, as its author can set it. */
  readonly nameOf: (option: string) => string
}

// Values that are valid alone and not together.
export function findAuthFaults(values: Known, context: FaultContext): ConfigProblem[] {
  return [
    ...findLifetimeFaults(values, context),
    ...findMailFaults(values, context),
    ...findHiddenFaults(values, context),
    ...findUserFaults(values),
  ]
}

function findLifetimeFaults(values: Known, { nameOf }: FaultContext): ConfigProblem[] {
  const { accessLifetime, refreshIdleLifetime: idle, refreshAbsoluteLifetime: absolute } = values
  const faults: ConfigProblem[] = []
  if (idle !== undefined && absolute !== undefined && absolute < idle) {
    const problem = `must not be shorter than ${nameOf('refreshIdleLifetime')}`
    faults.push({ name: nameOf('refreshAbsoluteLifetime'), problem })
  }
  if (isLong(accessLifetime) && absolute !== undefined && accessLifetime > absolute) {
    const end = nameOf('refreshAbsoluteLifetime')
    const problem = `must not be longer than ${end}, when the session of the token ends`
    faults.push({ name: nameOf('accessLifetime'), problem })
  }
  return faults
}

function findMailFaults(values: Known, { environment, nameOf }: FaultContext): ConfigProblem[] {
  const { mail } = values
  if (!mail || !sendsMail(values)) return []
  const faults: ConfigProblem[] = []
  if (!mail.mailer && mail.from === undefined) {
    const problem = 'is missing: the sender of e-mail, such as no-reply@example.com'
    faults.push({ name: nameOf('mail.from'), problem })
  }
  if (mail.appUrl === undefined && environment === 'production') {
    const problem = 'is missing: where links in e-mail lead to, such as https://app.example.com'
    faults.push({ name: nameOf('mail.appUrl'), problem })
  }
  return faults
}

function findHiddenFaults(values: Known, { environment, nameOf }: FaultContext): ConfigProblem[] {
  const { mail, hideRegistered } = values
  const isAnswered = mail && (environment !== 'production' || sendsMail(values))
  if (!hideRegistered || isAnswered) return []
  const names = `${nameOf('mail.smtpUrl')}, ${nameOf('mail.from')} and ${nameOf('mail.appUrl')}`
  const problem = `responds by e-mail only, and none is sent: set ${names}`
  return [{ name: nameOf('hideRegistered'), problem }]
}

export function sendsMail({ mail }: Known): boolean {
  return mail ? mail.smtpUrl !== undefined || mail.mailer !== undefined : false
}

// Of options that only code can set, so that they never change after `createAuth`.
export function findUserFaults({
  identifier,
  userFields,
  adminRole,
  roles,
}: Known): ConfigProblem[] {
  const faults = [
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- an option of code is complete or missing
    ['identifier', findIdentifierFault({ identifier, userFields: userFields as UserFields })],
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
    ['adminRole', findAdminRoleFault({ adminRole, roles: roles as DefinedRoles })],
  ]
  return faults.flatMap(([name, problem]) =>
    problem === undefined ? [] : [{ name: `auth.${name}`, problem }],
  )
}

// What is allowed and worth knowing at the start.
export function findAuthWarnings(values: Known): string[] {
  return [warnOfLongTokens(values), warnOfTokenRoles(values)].filter((text) => text !== undefined)
}

const hour = 3_600_000

// Tokens of an hour or less may outlive a shorter session: they are not accepted after it.
function isLong(accessLifetime: number | undefined): accessLifetime is number {
  return accessLifetime !== undefined && accessLifetime > hour
}

function warnOfLongTokens({ accessLifetime, stateless }: Known): string | undefined {
  if (!isLong(accessLifetime)) return undefined
  const end = stateless
    ? 'and nothing revokes it before, because auth.stateless reads no session'
    : 'unless its session ends before'
  const hours = Math.round((accessLifetime / hour) * 10) / 10
  return `Access tokens live for ${hours} hours (ACCESS_TTL): a stolen one works that long, ${end}. The default is 15m.`
}

function warnOfTokenRoles({ accessLifetime = 0, stateless, roles }: Known): string | undefined {
  if (!stateless || roles === undefined) return undefined
  const minutes = Math.ceil(accessLifetime / 60_000)
  return `A role that is granted or revoked takes effect up to ${minutes} minutes later: with auth.stateless the roles of a caller are those of the access token. Without it they are read for each request.`
}
