import { type OpenStream, readEvents } from './events.ts'

/**
 * A change of a live list: `changed` for a document that the list has now, `removed` for one that it no longer has, and `reset`
 * when the list has to be read: at the beginning, and if something may have been missed.
 */
export type ListChange<Item extends { readonly id: unknown } = { readonly id: unknown }> =
  | { readonly type: 'changed'; readonly data: Item }
  | { readonly type: 'removed'; readonly id: Item['id'] }
  | { readonly type: 'reset' }

/**
 * Reads the changes of a live list, and continues after an interruption. Generated code passes it on.
 * @param open - requests the stream
 * @param signal - ends the stream
 * @yields the changes
 * @throws Failure when the server refuses it
 */
export async function* readChanges(
  open: OpenStream,
  signal?: AbortSignal | null,
): AsyncGenerator<ListChange> {
  for await (const { data } of readEvents(open, signal)) yield JSON.parse(data) as ListChange
}
