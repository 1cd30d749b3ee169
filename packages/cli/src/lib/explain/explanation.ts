/** What is known about a code or an option. */
export interface Explanation {
  readonly names: readonly string[]
  readonly title: string
  /** What a program needs beside the facts. */
  readonly json: Readonly<Record<string, string | number | undefined>>
  /** What the terminal shows below the title. */
  readonly facts: Readonly<Record<string, string | undefined>>
  /** Page of the documentation, with the section. */
  readonly page: string
}

// A name can be several options, as OPENAPI is with another case, and `limit` alone: the closest way of writing counts.
export function findNamed(all: readonly Explanation[], name: string): readonly Explanation[] {
  const word = name.toLowerCase()
  const ways: ((one: string) => boolean)[] = [
    (one) => one === name,
    (one) => one.toLowerCase() === word,
    (one) => one.toLowerCase().endsWith(`.${word}`),
  ]
  const found = ways.map((matches) => all.filter(({ names }) => names.some(matches)))
  return found.find((some) => some.length > 0) ?? []
}
