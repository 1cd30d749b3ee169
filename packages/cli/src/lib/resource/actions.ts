export const actions = ['list', 'get', 'create', 'replace', 'update', 'delete'] as const

export type ActionName = (typeof actions)[number]
