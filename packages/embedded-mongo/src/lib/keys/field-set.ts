// Which top-level fields of a document something reads, so that only these are decoded.
export class FieldSet {
  readonly #names = new Set<string>()
  #hasAll = false

  // Undefined for all.
  get names(): ReadonlySet<string> | undefined {
    return this.#hasAll ? undefined : this.#names
  }

  add(path: string): void {
    const dot = path.indexOf('.')
    this.#names.add(dot < 0 ? path : path.slice(0, dot))
  }

  addAll(): void {
    this.#hasAll = true
  }
}
