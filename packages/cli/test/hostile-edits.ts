import { type Arbitrary, constantFrom, nat, oneof, record } from 'fast-check'
import { hostileTexts } from './hostile-texts.ts'

type Path = readonly string[]

/** A change of one member of a document. */
export interface Edit {
  readonly place: number
  readonly kind: 'value' | 'name' | 'removal' | 'other'
  readonly words: string
  readonly other: number
}

/** What `createEdits` returns. */
export interface Edits {
  /** The paths of all members and items. */
  readonly places: readonly Path[]
  /** Random edits. */
  readonly edits: Arbitrary<Edit>
  /** Changes a document; `toWords` returns the words that take the place of those of the edit. */
  readonly apply: (root: unknown, edit: Edit, toWords: (words: string) => string) => unknown
}

/**
 * Edits of a document that give its members other names and values.
 *
 * @param document - the document, with every part that a program reads
 * @param others - values of other types, one of which can take the place of any value
 */
export function createEdits(document: unknown, others: readonly unknown[]): Edits {
  const places = listPlaces(document)
  return {
    places,
    edits: record<Edit>({
      place: nat(places.length - 1),
      kind: oneof(
        { weight: 5, arbitrary: constantFrom('value' as const) },
        { weight: 5, arbitrary: constantFrom('name' as const) },
        { weight: 1, arbitrary: constantFrom('removal' as const, 'other' as const) },
      ),
      words: hostileTexts,
      other: nat(others.length - 1),
    }),
    apply: (root, { kind, other, place, words }, toWords) =>
      edit(root, places[place] ?? [], (entries, index) => {
        const entry = entries[index]
        if (entry === undefined) return
        if (kind === 'removal') entries.splice(index, 1)
        else if (kind === 'name') entry[0] = toWords(words)
        else if (kind === 'other') entry[1] = others[other]
        else if (typeof entry[1] === 'string') entry[1] = toWords(words)
      }),
  }
}

function listPlaces(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  const below = Object.entries(value).flatMap(([name, item]) => listPlaces(item, [...path, name]))
  return path.length === 0 ? below : [path, ...below]
}

// The order of the members stays, as it decides which of two operations gets a name.
function edit(
  root: unknown,
  path: Path,
  change: (entries: [string, unknown][], index: number) => void,
): unknown {
  const [name = '', ...rest] = path
  if (typeof root !== 'object' || root === null) return root
  const entries = Object.entries(root)
  const index = entries.findIndex(([key]) => key === name)
  const found = entries[index]
  if (found === undefined) return root
  if (rest.length > 0) found[1] = edit(found[1], rest, change)
  else change(entries, index)
  return Array.isArray(root) ? entries.map(([, value]) => value) : Object.fromEntries(entries)
}
