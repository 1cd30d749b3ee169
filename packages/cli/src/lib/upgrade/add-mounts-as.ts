import { addMount, type Mount } from '../registry/edit-registry.ts'
import { RegistryProblem } from '../registry/read-registry.ts'

// Mounts in a template what the user's registry mounts, in the same order, so that only edits
// of the user remain as differences.
export async function addMountsAs(
  registry: string,
  template: string,
  mounts: readonly Mount[],
): Promise<string> {
  const present = mounts.filter(({ specifier }) => registry.includes(specifier))
  const inOrder = present.toSorted(
    (a, b) => registry.indexOf(a.specifier) - registry.indexOf(b.specifier),
  )
  try {
    let text = template
    for (const mount of inOrder) text = (await addMount(text, mount)).source
    return sortMounts(text, registry, present)
  } catch (error) {
    // A template of another version, without markers: its mounts count as the user's.
    if (error instanceof RegistryProblem) return template
    throw error
  }
}

function sortMounts(text: string, registry: string, mounts: readonly Mount[]): string {
  const lines = text.split('\n')
  const found = mounts.flatMap(({ router }) => {
    const at = lines.findIndex(
      (line) => line.includes('.use(') && line.replace(/;$/, '').endsWith(`, ${router})`),
    )
    return at === -1 ? [] : [{ at, line: lines[at] ?? '', rank: registry.lastIndexOf(router) }]
  })
  const places = found.map(({ at }) => at).toSorted((a, b) => a - b)
  const sorted = found.toSorted((a, b) => a.rank - b.rank)
  for (const [index, { line }] of sorted.entries()) lines[places[index] ?? 0] = line
  return lines.join('\n')
}
