import { type ChangeEvent } from './change-log.ts'

/** What a stream watches. */
export type StreamScope =
  | { kind: 'collection'; namespace: string }
  | { kind: 'database'; database: string }
  | { kind: 'cluster' }

/**
 * Tells whether an event concerns a stream.
 *
 * @param scope What the stream watches.
 * @param event The event.
 * @returns True when it does.
 */
export function isInScope(scope: StreamScope, event: ChangeEvent): boolean {
  if (scope.kind === 'cluster') return true
  const { what } = event
  const namespace = 'database' in what ? `${what.database}.` : what.namespace
  if (scope.kind === 'collection') return namespace === scope.namespace
  return namespace.startsWith(`${scope.database}.`)
}

/**
 * Tells whether an event ends a stream.
 *
 * @param scope What the stream watches.
 * @param event An event that concerns it.
 * @returns True when what it watches is gone.
 */
export function isEnd(scope: StreamScope, event: ChangeEvent): boolean {
  const { what } = event
  if (!('kind' in what) || scope.kind === 'cluster') return false
  return scope.kind === 'collection' || what.kind === 'dropDatabase'
}
