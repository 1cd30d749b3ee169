export type Action =
  | 'create'
  | 'identical'
  | 'conflict'
  | 'overwrite'
  | 'keep'
  | 'update'
  | 'unchanged'
  | 'delete'

export type FileEncoding = 'utf8' | 'latin1'

export type WantedFile =
  /** A file that belongs to the command: created, or in conflict when it differs. */
  | {
      readonly kind: 'write'
      readonly path: string
      readonly text: string
      readonly mode?: number | undefined
      readonly encoding?: FileEncoding | undefined
    }
  /** A shared file whose edit was computed from its present text. */
  | {
      readonly kind: 'edit'
      readonly path: string
      readonly before: string | undefined
      readonly text: string
      /** What the edit does, for the file list. */
      readonly detail?: string
      /** Bookkeeping that the file list does not mention. */
      readonly quiet?: boolean
      /** Rights it gets, whatever it had. */
      readonly mode?: number | undefined
      readonly encoding?: FileEncoding | undefined
    }
  /** A file that goes. */
  | { readonly kind: 'delete'; readonly path: string; readonly quiet?: boolean }

export interface Change {
  readonly action: Action
  /** Path relative to the root, with `/`. */
  readonly path: string
  /** Where it is on disk, symbolic links resolved. */
  readonly target: string
  readonly before: string | undefined
  readonly after: string | undefined
  readonly mode?: number | undefined
  readonly encoding?: FileEncoding | undefined
  readonly detail?: string | undefined
  readonly quiet?: boolean | undefined
}

export function isPending(change: Change): boolean {
  return ['create', 'overwrite', 'update', 'delete'].includes(change.action)
}
