export interface Word {
  readonly word: string
  /** Whether a parameter follows, so that the path means a single item. */
  readonly single: boolean
}

// The literal segments of a path that say what it is about.
export function toWords(path: string): Word[] {
  const segments = path.split('/').filter((segment) => segment !== '')
  return segments.flatMap((word, index) =>
    word.startsWith(':') || /^(api|v\d+)$/.test(word)
      ? []
      : [{ word, single: segments[index + 1]?.startsWith(':') === true }],
  )
}

export function toTag(path: string): string {
  return toWords(path).at(-1)?.word ?? 'api'
}
