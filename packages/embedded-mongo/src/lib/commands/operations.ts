import { type Doc } from '../bson/document.ts'

export interface Operation {
  id: number
  body: Doc
  startedAt: Date
}

// The commands that wait, such as getMore on a change stream. All others have ended when the next one starts.
export class Operations {
  readonly #waiting = new Set<Operation>()
  #last = 0

  create(body: Doc, startedAt: Date): Operation {
    this.#last += 1
    return { id: this.#last, body, startedAt }
  }

  async wait<T>(body: Doc, reply: Promise<T>): Promise<T> {
    const operation = this.create(body, new Date())
    this.#waiting.add(operation)
    try {
      return await reply
    } finally {
      this.#waiting.delete(operation)
    }
  }

  waiting(): Operation[] {
    return [...this.#waiting]
  }
}
