/** One event of a list: `changed` with a document, `removed` with an id, or `reset`. */
export interface ListChange {
  readonly type: 'changed' | 'removed' | 'reset'
  readonly data?: Readonly<Record<string, unknown>> & { readonly id: string }
  readonly id?: string
}

/** An open stream of changes. */
export interface Changes {
  readonly response: Response
  /** The last id that was received. */
  readonly lastEventId: () => string | undefined
  /** Waits for the next event. */
  readonly next: () => Promise<ListChange>
  /** The events that have arrived and were not taken. */
  readonly rest: () => ListChange[]
  /** Resolves when the stream has ended. */
  readonly ended: Promise<void>
  readonly close: () => void
}

// A client of server-sent events as the HTML standard describes it.
export async function openChanges(
  url: string,
  headers: Readonly<Record<string, string>>,
  lastEventId?: string,
): Promise<Changes> {
  const controller = new AbortController()
  const response = await fetch(url, {
    headers: { ...headers, ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }) },
    signal: controller.signal,
  })
  const events: ListChange[] = []
  let id = lastEventId
  let onChange: (() => void) | undefined
  const read = async (): Promise<void> => {
    let text = ''
    try {
      for await (const bytes of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += bytes
        const blocks = text.split('\n\n')
        text = blocks.pop() ?? ''
        for (const block of blocks) {
          for (const line of block.split('\n')) {
            if (line.startsWith('id: ')) id = line.slice(4)
            if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)))
          }
        }
        onChange?.()
      }
    } catch {
      // The connection was closed.
    }
    controller.abort()
  }
  const ended = read()
  return {
    response,
    ended,
    lastEventId: () => id,
    async next() {
      while (events.length === 0 && !controller.signal.aborted) {
        await Promise.race([ended, new Promise<void>((resolve) => (onChange = resolve))])
      }
      const [event] = events.splice(0, 1)
      if (!event) throw new Error('The stream has ended.')
      return event
    },
    rest: () => events.splice(0),
    close: () => controller.abort(),
  }
}
