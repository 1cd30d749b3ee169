import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { join } from 'node:path'
import { CliError } from '../errors.ts'
import { applyChanges } from '../files/apply.ts'
import { type WantedFile } from '../files/change.ts'
import { withLock } from '../files/lock.ts'
import { planChanges, readText } from '../files/plan.ts'
import { findProjectRoot } from '../project/open-project.ts'
import { type CommandContext } from '../terminal/command-context.ts'
import { type Note, type Outcome } from '../terminal/reporter.ts'
import { readVariable, setVariable } from './env-file.ts'
import { type Algorithm, makeKey, type NewKey } from './make-key.ts'
import { apiCommand } from '../terminal/api-command.ts'

/** Options of `api keys rotate`. */
export interface RotateKeyOptions {
  /**
   * Algorithm of the new key.
   * @default that of the keys in use
   */
  readonly alg?: Algorithm | undefined
  /**
   * How many of the present keys stay.
   * @default all
   */
  readonly keep?: number | undefined
}

const file = '.env'

/**
 * Puts a new key in front of the others in `.env`: it makes new tokens, and those made with the
 * others are still taken.
 *
 * @param options which kind, and how many stay
 * @param context the world
 * @returns what was done; no key is printed
 * @throws CliError `USAGE` when keys of two algorithms would meet; nothing is written
 */
export async function rotateKey(
  options: RotateKeyOptions,
  context: CommandContext,
): Promise<Outcome> {
  const root = findProjectRoot(context.cwd)
  const { count, key } = await withLock(root, async () => {
    const before = readText(join(root, file))
    const rotation = rotate(before ?? '', options)
    const wanted: WantedFile =
      before === undefined
        ? { kind: 'write', path: file, text: rotation.text, mode: 0o600 }
        : { kind: 'edit', path: file, before, text: rotation.text, mode: 0o600 }
    applyChanges(root, planChanges(root, [wanted]))
    return rotation
  })
  const keys = count === 1 ? '1 key' : `${count} keys`
  return {
    json: { command: 'keys rotate', file, variable: key.variable, alg: key.alg, keys: count },
    lines: [
      '',
      `  update     ${file}  ${key.variable}: ${keys}, the first is new (${key.alg})`,
      '',
    ],
    notes: [...warnOfEnvironment(key, context), ...sayNext(key, count)],
  }
}

interface Rotation {
  readonly text: string
  readonly key: NewKey
  readonly count: number
}

function rotate(text: string, { alg, keep = Infinity }: RotateKeyOptions): Rotation {
  const signing = split(readVariable(text, 'JWT_SIGNING_KEYS'))
  const inUse = signing[0] === undefined ? undefined : algorithmOf(signing[0])
  const key = makeKey(alg ?? inUse ?? 'HS256')
  if (key.variable === 'JWT_SIGNING_KEYS' && inUse !== undefined && inUse !== key.alg) {
    throw new CliError(
      'USAGE',
      `the keys in ${file} are for ${inUse}, and tokens have one algorithm`,
      {
        hint: `to change it, set JWT_SIGNING_KEYS to a key of ${key.alg} alone: every client has to refresh once`,
      },
    )
  }
  const present = split(readVariable(text, key.variable)).slice(0, keep)
  const values = [key.value, ...present]
  return { text: setVariable(text, key.variable, values.join(',')), key, count: values.length }
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
      // It may be the other half.
    }
  }
  throw new CliError('USAGE', `JWT_SIGNING_KEYS in ${file} holds no key that can be read`, {
    hint: `make one: ${apiCommand} keys generate --alg ES256`,
  })
}

function warnOfEnvironment({ variable }: NewKey, { terminal }: CommandContext): readonly Note[] {
  if ((terminal.env[variable] ?? '') === '') return []
  const message = `${variable} is also set in this environment, which wins over ${file}`
  return [{ kind: 'warning', code: 'ENVIRONMENT_WINS', message }]
}

function sayNext({ variable }: NewKey, count: number): readonly Note[] {
  const restart: Note = { kind: 'next', message: 'restart the service; nobody is logged out' }
  if (count === 1) return [restart]
  const [others, lifetime] =
    variable === 'JWT_SECRET'
      ? ['refresh tokens made with the others end', 'REFRESH_TTL, 7 days']
      : ['tokens signed with the others end', 'ACCESS_TTL, 15 minutes']
  const message = `drop the others when the ${others} (${lifetime}): ${apiCommand} keys rotate --keep 1 keeps one`
  return [restart, { kind: 'note', message }]
}
