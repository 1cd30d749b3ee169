const newline = 0x0a

// A line, by its number from 1; its bytes are undefined if there are more than the limit.
export interface Line {
  readonly number: number
  readonly bytes: Buffer | undefined
}

// Splits bytes into lines, and leaves out empty ones. At most one line and one chunk are in memory, and the next chunk is read when the
// lines of the last one have been taken.
export async function* readLines(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
): AsyncGenerator<Line, void> {
  let number = 1
  let parts: Buffer[] = []
  let size = 0
  const add = (part: Buffer): void => {
    size += part.length
    if (size > maxBytes) parts = []
    else parts.push(part)
  }
  const take = (): Line => {
    const bytes = size > maxBytes ? undefined : Buffer.concat(parts)
    parts = []
    size = 0
    return { number, bytes }
  }
  for await (const chunk of source) {
    let start = 0
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, start)) {
      add(chunk.subarray(start, end))
      start = end + 1
      const line = take()
      if (!isEmpty(line)) yield line
      number++
    }
    // A copy: the part would keep the whole chunk.
    add(Buffer.from(chunk.subarray(start)))
  }
  const last = take()
  if (!isEmpty(last)) yield last
}

function isEmpty({ bytes }: Line): boolean {
  return (
    bytes !== undefined && bytes.every((byte) => byte === 0x20 || byte === 0x0d || byte === 0x09)
  )
}
