import { type SourceFile } from './source-files.ts'

// How an application writes the hashes that it creates with `scrypt` of Node: key and salt in one text.
export interface ScryptHashes {
  readonly kind: 'scrypt'
  /** Length of the key in bytes. */
  readonly length: number
  /** Source of the options. */
  readonly options: string
  readonly encoding: 'hex' | 'base64'
  readonly separator: string
  readonly saltFirst: boolean
  /** Whether the key is derived from the bytes of the salt, not from its text. */
  readonly saltIsBytes: boolean
  readonly saltLength: number
}

// `scrypt(password, salt, 64)`, `scryptSync(…)`, or what `promisify(scrypt)` is called.
const call = /\bscrypt\w*\(\s*[\w.]+\s*,\s*[\w.]+\s*,\s*(\d+)\s*(?:,\s*(\{[^{}]*\}))?/i
const template = /`\$\{([^{}`]+)\}([:.$|;,-])\$\{([^{}`]+)\}`/g
const sum = /([\w.]+(?:\([^()]*\))?)\s*\+\s*["']([:.$|;,-])["']\s*\+\s*([\w.]+(?:\([^()]*\))?)/g

// Undefined where the source does not show everything.
export function findScrypt(sources: readonly SourceFile[]): ScryptHashes | undefined {
  return sources.map(({ text }) => readScrypt(text)).find(Boolean)
}

function readScrypt(text: string): ScryptHashes | undefined {
  const [, length, options = '{}'] = call.exec(text) ?? []
  const encoding = findEncoding(text)
  const join = findJoin(text)
  if (length === undefined || encoding === undefined || join === undefined) return undefined
  const saltLength = Number(/\brandomBytes\(\s*(\d+)/.exec(text)?.[1] ?? 16)
  return { kind: 'scrypt', length: Number(length), options, encoding, saltLength, ...join }
}

// The only one in the file.
function findEncoding(text: string): ScryptHashes['encoding'] | undefined {
  const names = Array.from(text.matchAll(/\btoString\(["'](\w+)["']\)/g), ([, name]) => name)
  const [encoding, other] = new Set(names)
  if (other !== undefined) return undefined
  return encoding === 'hex' || encoding === 'base64' ? encoding : undefined
}

type Join = Pick<ScryptHashes, 'separator' | 'saltFirst' | 'saltIsBytes'>

function findJoin(text: string): Join | undefined {
  // The salt is an argument of the call, too.
  const joins = text.replaceAll(/\bscrypt\w*\([^()]*\)/gi, 'key')
  const [joined, other] = [...joins.matchAll(template), ...joins.matchAll(sum)]
  if (joined === undefined || other !== undefined) return undefined
  const [, first = '', separator = '', second = ''] = joined
  const saltFirst = /salt/i.test(first)
  if (saltFirst === /salt/i.test(second)) return undefined
  return { separator, saltFirst, saltIsBytes: (saltFirst ? first : second).includes('toString') }
}
