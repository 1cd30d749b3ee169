import { foldText } from '../terminal/fold-text.ts'

export interface ExampleEntry {
  readonly name: string
  readonly meaning: string
  readonly example: string
}

const head = [
  '# Every variable the service reads, with its default. Copy what you change to .env.',
  '# Durations are 15m, 2h or seconds; sizes are 100kb or bytes.',
]

// Adds the variables that are missing; existing text stays.
export function formatEnvExample(
  present: string | undefined,
  entries: readonly ExampleEntry[],
): string {
  const missing = findMissing(present ?? '', entries).map(formatParagraph)
  if (present === undefined) return `${[...head, ...missing].join('\n')}\n`
  return missing.length === 0 ? present : `${[present.trimEnd(), ...missing].join('\n')}\n`
}

export function findMissing<Entry extends ExampleEntry>(
  present: string,
  entries: readonly Entry[],
): readonly Entry[] {
  return entries.filter(({ name }) => !new RegExp(`^#?\\s*${name}=`, 'm').test(present))
}

function formatParagraph({ example, meaning, name }: ExampleEntry): string {
  const lines = foldText(meaning.replaceAll('`', ''), 94).map((line) => `# ${line}`)
  return ['', ...lines, `# ${name}=${example}`].join('\n')
}
