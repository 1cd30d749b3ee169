import { type Document } from 'bson'

/** A reply of A, the embedded database, and of B, a MongoDB server, that differ. */
export interface Replies {
  readonly command: Document
  readonly a: Document
  readonly b: Document
}

/** A known difference; docs/database.md lists them. */
interface Explained {
  readonly name: string
  readonly reason: string
  readonly matches: (replies: Replies) => boolean
}

const notImplemented = 238

export const explained: readonly Explained[] = [
  {
    name: 'refused by name',
    reason:
      'A feature that the embedded database does not have is an error with code 238 that names it.',
    matches: ({ a }) => codeOf(a) === notImplemented,
  },
  {
    name: 'sort keys are parallel arrays',
    reason:
      'An index that yields the order looks at no keys of documents, so an error 2 for parallel arrays depends on the plan.',
    matches: ({ command, a, b }) =>
      JSON.stringify(command).includes('sort') &&
      (codeOf(a) === 0) !== (codeOf(b) === 0) &&
      [codeOf(a), codeOf(b)].includes(2),
  },
  {
    name: 'collation',
    reason:
      'Text is compared by `Intl.Collator`, whose rules are those of the ICU of Node.js, not those of the ICU of MongoDB.',
    matches: ({ command, a, b }) =>
      JSON.stringify(command).includes('collation') && codeOf(a) === 0 && codeOf(b) === 0,
  },
]

export function findExplanation(replies: Replies): Explained | undefined {
  return explained.find((item) => item.matches(replies))
}

function codeOf(reply: Document): number {
  const [first] = (reply['writeErrors'] ?? []) as Document[]
  return Number(first?.['code'] ?? reply['code'] ?? 0)
}
