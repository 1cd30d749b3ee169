export const actions = ['list', 'get', 'create', 'replace', 'update', 'delete'] as const

export type ActionName = (typeof actions)[number]

export interface Action {
  readonly method: string
  /** Path below that of the resource, with `:id` for its key. */
  readonly path: string
  /** Names it together with others in `--access`. */
  readonly group: 'read' | 'write'
  /** Action whose access it has if `--access` does not name it. */
  readonly follows?: ActionName
}

export const actionTable: Readonly<Record<ActionName, Action>> = {
  list: { method: 'GET', path: '', group: 'read' },
  get: { method: 'GET', path: '/:id', group: 'read' },
  create: { method: 'POST', path: '', group: 'write' },
  replace: { method: 'PUT', path: '/:id', group: 'write', follows: 'update' },
  update: { method: 'PATCH', path: '/:id', group: 'write' },
  delete: { method: 'DELETE', path: '/:id', group: 'write' },
}

// Whether it is about one document.
export function isOfOne(action: ActionName): boolean {
  return actionTable[action].path.startsWith('/:id')
}

// Whether items of bulk requests can have it.
export function isChange(action: ActionName): boolean {
  return actionTable[action].group === 'write'
}

// In listings and tests, those of the collection come first.
export const listedActions: readonly ActionName[] = [
  ...actions.filter((action) => !isOfOne(action)),
  ...actions.filter(isOfOne),
]

export type OfActions<T> = Readonly<Record<ActionName, T>>

export function mapActions<T>(toValue: (action: ActionName) => T): OfActions<T> {
  const entries = actions.map((action) => [action, toValue(action)])
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it has an entry for each action
  return Object.fromEntries(entries) as OfActions<T>
}

// As the manifest keeps them.
export function readActions(text: string | undefined): readonly ActionName[] {
  if (text === undefined) return actions
  const words = text.split(',')
  return actions.filter((action) => words.includes(action))
}
