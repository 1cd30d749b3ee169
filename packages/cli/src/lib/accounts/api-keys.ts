import { CliError } from '../errors/cli-error.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Outcome } from '../terminal/reporter.ts'
import { apiCommand } from '../terminal/api-command.ts'
import { quoteForShell } from '../terminal/quote-for-shell.ts'
import { type AuthFailure, runWithAuth, toAuthError } from './run-with-auth.ts'

export interface CreateApiKeyOptions {
  /** E-mail address of the owner. */
  readonly user: string
  readonly name: string
  readonly scopes: readonly string[]
  /** In milliseconds from now; without it the application decides. */
  readonly expires?: number | undefined
}

interface ApiKey {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly lastFour: string
  readonly createdAt: string
  readonly expiresAt: string
  readonly lastUsedAt: string | null
}

// Prints the key alone to stdout, for `$(…)`; it is not stored anywhere.
export async function createApiKey(
  { user, expires, name, scopes }: CreateApiKeyOptions,
  context: CommandContext,
): Promise<Outcome> {
  const expiresAt =
    expires === undefined ? {} : { expiresAt: new Date(Date.now() + expires).toISOString() }
  const input = { user, key: { name, scopes, ...expiresAt } }
  const key = await run<ApiKey & { readonly key: string }>('create', input, context)
  const message = `${name} of ${user} expires on ${formatDay(key.expiresAt)}; the key is not shown again`
  return {
    json: { command: 'keys create', key },
    lines: [key.key],
    notes: [
      { kind: 'note', message },
      { kind: 'next', message: `to revoke it: ${apiCommand} keys revoke ${quoteForShell(key.id)}` },
    ],
  }
}

export async function listApiKeys(
  { user }: Pick<CreateApiKeyOptions, 'user'>,
  context: CommandContext,
): Promise<Outcome> {
  const keys = await run<readonly ApiKey[]>('list', { user }, context)
  return {
    json: { command: 'keys list', keys },
    lines: keys.length === 0 ? [`${user} has no API keys.`] : keys.map(formatKey),
    notes: [],
  }
}

export interface RevokedKeys {
  readonly id?: string | undefined
  /** E-mail address of the owner of all keys to be revoked. */
  readonly user?: string | undefined
}

export async function revokeApiKeys(
  { id, user }: RevokedKeys,
  context: CommandContext,
): Promise<Outcome> {
  if ((id === undefined) === (user === undefined)) {
    throw new CliError('USAGE', 'the id of a key, or --user, is missing', {
      hint: `${apiCommand} keys revoke <id>, or ${apiCommand} keys revoke --user <email>`,
    })
  }
  if (user !== undefined) return revokeKeysOfUser(user, context)
  await run('revoke', { id }, context)
  return {
    json: { command: 'keys revoke', id },
    lines: ['', `  delete     API key ${id}`, ''],
    notes: [{ kind: 'note', message: 'no process accepts it from now on' }],
  }
}

async function revokeKeysOfUser(user: string, context: CommandContext): Promise<Outcome> {
  const revoked = await run<number>('revokeAll', { user }, context)
  return {
    json: { command: 'keys revoke', user, count: revoked },
    lines: ['', `  delete     ${count(revoked, 'API key')} of ${user}`, ''],
    notes: [{ kind: 'note', message: 'no process accepts them from now on' }],
  }
}

function formatKey({ id, name, scopes, lastFour, expiresAt, lastUsedAt }: ApiKey): string {
  const used = lastUsedAt === null ? 'never used' : `used ${formatDay(lastUsedAt)}`
  return `${id}  …${lastFour}  ${name}  [${scopes.join(' ')}]  until ${formatDay(expiresAt)}  ${used}`
}

function formatDay(time: string): string {
  return time.slice(0, 10)
}

const script = `async ({ auth }, { work, user, key, id }) => {
  if (work === 'revoke') return auth.apiKeys.revoke({ id })
  const owner = await auth.users.findByEmail(user)
  if (!owner) throw Object.assign(new Error(), { code: 'no_user' })
  return work === 'create' ? auth.apiKeys.create(owner.id, key) : auth.apiKeys[work](owner.id)
}`

interface Input {
  readonly user?: string
  readonly key?: object
  readonly id?: string | undefined
}

// Works in the database of the application, by its own rules.
async function run<Value>(
  work: 'create' | 'list' | 'revoke' | 'revokeAll',
  input: Input,
  context: CommandContext,
): Promise<Value> {
  return runWithAuth<Value>(
    script,
    { work, ...input },
    { context, toError: (failure) => toError(failure, input) },
  )
}

function toError(failure: AuthFailure, { user, id }: Input): CliError {
  const { code, message } = failure
  if (code === 'no_user') {
    return new CliError('USAGE', `there is no user ${user}`, {
      hint: `${apiCommand} users create --email ${quoteForShell(user ?? '')}`,
    })
  }
  if (code === 'not_found') {
    const subject = id === undefined ? `${user} is disabled` : `there is no valid API key ${id}`
    return new CliError('USAGE', subject, {
      hint: id === undefined ? undefined : `list them: ${apiCommand} keys list --user <email>`,
    })
  }
  if (code === 'conflict') return new CliError('CONFLICT', message)
  return toAuthError(failure, {
    rejected: 'the API key was rejected',
    failed: 'the API keys of the application could not be used',
  })
}
