export const actions = ['list', 'get', 'create', 'replace', 'update', 'delete'] as const

export type ActionName = (typeof actions)[number]

// As the manifest keeps them.
export function readActions(text: string | undefined): readonly ActionName[] {
  if (text === undefined) return actions
  const words = text.split(',')
  return actions.filter((action) => words.includes(action))
}
