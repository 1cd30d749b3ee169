/** What is known about a code, an option or a route. */
export interface Explanation {
  /** Its form in JSON. */
  readonly json: Readonly<Record<string, unknown>>
  readonly title: string
  /** What the terminal shows below the title; rows without a text are left out. */
  readonly rows: readonly (readonly [label: string, text: string | undefined])[]
}

/** A kind of things that can be explained, by their names. */
export interface Subject {
  readonly names: readonly string[]
  /** Explains what has this name, in any case; there can be several. */
  readonly find: (name: string) => readonly Explanation[]
}
