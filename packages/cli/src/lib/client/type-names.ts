// What the generated file imports or uses of the language.
const reserved =
  'ApiClient Call CallOptions Client ClientOptions EachOptions EachQuery ErrorItem Failure Operations ' +
  'PreconditionFailure ServerEvent AsyncGenerator AsyncIterable Blob ReadableStream Record Promise ' +
  'CommonFailure AuthenticationFailure PathFailure BodyFailure IdempotencyFailure'

// Gives every type of the file a separate name.
export class TypeNames {
  #taken = new Set(reserved.split(' '))

  // Returns a function that forgets the names that were claimed in the meantime.
  save(): () => void {
    const taken = new Set(this.#taken)
    return () => {
      this.#taken = taken
    }
  }

  claim(wanted: string): string {
    const name = toTypeName(wanted)
    let free = this.#taken.has(name) ? `${name}Schema` : name
    for (let count = 2; this.#taken.has(free); count++) free = `${name}${count}`
    this.#taken.add(free)
    return free
  }
}

export function toTypeName(text: string): string {
  const name = toName(text)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

// An identifier in camelCase.
export function toName(text: string): string {
  const words = text.split(/[^A-Za-z\d]+/).filter((word) => word !== '')
  const name = words
    .map((word, index) =>
      index === 0
        ? word.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (start) => start.toLowerCase())
        : word.charAt(0).toUpperCase() + word.slice(1),
    )
    .join('')
  return /^[A-Za-z]/.test(name) ? name : `_${name}`
}
