import { foldText } from '../terminal/fold-text.ts'

/** What `.env.example` says of a variable. */
export interface ExampleEntry {
  readonly name: string
  readonly meaning: string
  readonly example: string
}

const head = [
  '# Every variable the service reads, with its default. Copy what you change to .env.',
  '# Durations are 15m, 2h or seconds; sizes are 100kb or bytes.',
]

/**
 * Writes `.env.example`: what is there stays, variables that are missing are added.
 *
 * @param present text of the file, or `undefined` when there is none
 * @param entries every variable
 * @returns the text of the file
 */
export function toEnvExample(
  present: string | undefined,
  entries: readonly ExampleEntry[],
): string {
  const missing = findMissing(present ?? '', entries).map(toParagraph)
  if (present === undefined) return `${[...head, ...missing].join('\n')}\n`
  return missing.length === 0 ? present : `${[present.trimEnd(), ...missing].join('\n')}\n`
}

/**
 * Finds variables that `.env.example` does not mention.
 *
 * @param present text of the file
 * @param entries every variable
 * @returns those that are missing
 */
export function findMissing<Entry extends ExampleEntry>(
  present: string,
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.filter(({ name }) => !new RegExp(`^#?\\s*${name}=`, 'm').test(present))
}

function toParagraph({ example, meaning, name }: ExampleEntry): string {
  const lines = foldText(meaning.replaceAll('`', ''), 94).map((line) => `# ${line}`)
  return ['', ...lines, `# ${name}=${example}`].join('\n')
}
