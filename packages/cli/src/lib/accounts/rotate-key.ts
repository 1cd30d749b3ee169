import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { applyChanges } from '../files/apply.ts'
import { withLock } from '../files/lock.ts'
import { planChanges, readText } from '../files/plan.ts'
import { findProjectRoot } from '../project/open-project.ts'
import { count } from '../terminal/count.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Note, type Outcome, toWarning } from '../terminal/reporter.ts'
import { readVariable, setVariable } from './env-file.ts'
import { type Algorithm, createKey, type NewKey } from './generate-key.ts'
import { apiCommand } from '../terminal/api-command.ts'

export interface RotateKeyOptions {
  /**
   * Algorithm of the new key.
   * @default the algorithm of the current keys
   */
  readonly alg?: Algorithm | undefined
  /**
   * Number of current keys to keep.
   * @default all
   */
  readonly keep?: number | undefined
}

const file = '.env'

// Adds a new first key to `.env`: it signs new tokens, and tokens of the others stay valid.
export async function rotateKey(
  options: RotateKeyOptions,
  context: CommandContext,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  const { key, keys } = await withLock(root, async () => {
    const before = readText(join(root, file))
    const rotation = rotate(before ?? '', options)
    const { text } = rotation
    const changes = planChanges(root, [{ kind: 'edit', path: file, before, text, mode: 0o600 }])
    applyChanges(root, changes)
    return rotation
  })
  return {
    json: { command: 'keys rotate', file, variable: key.variable, alg: key.alg, keys },
    lines: [
      '',
      `  update     ${file}  ${key.variable}: ${count(keys, 'key')}, the first is new (${key.alg})`,
      '',
    ],
    notes: [...warnAboutEnvironment(key, context), ...describeNextSteps(key, keys)],
  }
}

interface Rotation {
  readonly text: string
  readonly key: NewKey
  /** Number of keys. */
  readonly keys: number
}

function rotate(text: string, { alg, keep = Infinity }: RotateKeyOptions): Rotation {
  const signing = split(readVariable(text, 'JWT_SIGNING_KEYS'))
  const inUse = signing[0] === undefined ? undefined : algorithmOf(signing[0])
  const key = createKey(alg ?? inUse ?? 'HS256')
  if (key.variable === 'JWT_SIGNING_KEYS' && inUse !== undefined && inUse !== key.alg) {
    throw new CliError(
      'USAGE',
      `the keys in ${file} are for ${inUse}; all keys must have the same algorithm`,
      {
        hint: `to change it, set JWT_SIGNING_KEYS to a single ${key.alg} key; every client must then refresh once`,
      },
    )
  }
  const current = split(readVariable(text, key.variable)).slice(0, keep)
  const values = [key.value, ...current]
  return { text: setVariable(text, key.variable, values.join(',')), key, keys: values.length }
}

function split(value: string): readonly string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

function algorithmOf(value: string): Algorithm {
  const key = Buffer.from(value, 'base64')
  for (const read of [
    (): KeyObject => createPrivateKey({ key, format: 'der', type: 'pkcs8' }),
    (): KeyObject => createPublicKey({ key, format: 'der', type: 'spki' }),
  ]) {
    try {
      return read().asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256'
    } catch {
      // Not this half of a key pair.
    }
  }
  throw new CliError('USAGE', `JWT_SIGNING_KEYS in ${file} contains no readable key`, {
    hint: `generate one: ${apiCommand} keys generate --alg ES256`,
  })
}

function warnAboutEnvironment({ variable }: NewKey, { terminal }: CommandContext): readonly Note[] {
  if ((terminal.env[variable] ?? '') === '') return []
  const message = `${variable} is also set in this environment, which overrides ${file}`
  return [toWarning('ENVIRONMENT_WINS', message)]
}

function describeNextSteps({ variable }: NewKey, keys: number): readonly Note[] {
  const restart: Note = {
    kind: 'next',
    message:
      'restart the service; if several processes are replaced in turn, first add the key after the others there',
  }
  if (keys === 1) return [restart]
  const [tokens, lifetime] =
    variable === 'JWT_SECRET'
      ? ['refresh tokens', 'REFRESH_TTL, 7 days']
      : ['access tokens', 'ACCESS_TTL, 15 minutes']
  const message = `remove the other keys once their ${tokens} have expired (${lifetime}); ${apiCommand} keys rotate --keep 1 keeps one`
  return [restart, { kind: 'note', message }]
}
