import { CliError } from '../errors/cli-error.ts'
import { maxRecordLength } from './record.ts'

/** Text of one record. */
export interface Piece {
  readonly line: number
  readonly text: string
}

// Splits the text of a JSON array into that of its elements, in the memory that one of them needs. Whether an element is
// JSON is not checked.
export async function* splitArray(
  name: string,
  text: AsyncIterable<string>,
): AsyncGenerator<Piece> {
  const scanner = new Scanner()
  let element = ''
  let line = 1
  for await (const piece of text) {
    let from = 0
    for (let at = 0; at < piece.length; at += 1) {
      const found = scanner.read(piece.charAt(at))
      if (found === 'fault') throw toFault(name, scanner)
      if (found === 'inside') continue
      const whole = element + piece.slice(from, at)
      if (found === 'element' && whole.trim() !== '') {
        yield { line: line + countBreaks(/^\s*/.exec(whole)?.[0] ?? ''), text: whole }
      }
      element = ''
      line = scanner.line
      from = at + 1
    }
    element += piece.slice(from)
    if (element.length > maxRecordLength) throw tooLong(name, line)
  }
  if (!scanner.isClosed) throw toFault(name, scanner)
}

export function tooLong(name: string, line: number): CliError {
  return new CliError(
    'INVALID_DOCUMENT',
    `${name}, line ${line}: a document is longer than ${maxRecordLength / 1024 / 1024} MB`,
  )
}

function countBreaks(text: string): number {
  return text.split('\n').length - 1
}

function toFault(name: string, { isClosed, line }: Scanner): CliError {
  const reason = isClosed ? 'text follows the array' : 'an array of objects is expected'
  return new CliError('INVALID_DOCUMENT', `${name}, line ${line}: ${reason}`, {
    hint: 'a JSON file is one array of objects; for one object on each line: --format ndjson',
  })
}

// `element` for the character after an element, `outside` for what is before and after the array.
type Found = 'inside' | 'element' | 'outside' | 'fault'

class Scanner {
  line = 1
  isClosed = false
  #depth = 0
  #isText = false
  #isEscaped = false

  read(character: string): Found {
    if (this.#isText) return this.#readText(character)
    if (character === '\n') this.line += 1
    if (this.#depth === 0) return this.#readOutside(character)
    if (character === '"') this.#isText = true
    if (character === '[' || character === '{') this.#depth += 1
    if (character === ']' || character === '}') this.#depth -= 1
    this.isClosed = this.#depth === 0
    return this.isClosed || (character === ',' && this.#depth === 1) ? 'element' : 'inside'
  }

  #readOutside(character: string): Found {
    if (character.trim() === '') return 'outside'
    if (this.isClosed || character !== '[') return 'fault'
    this.#depth = 1
    return 'outside'
  }

  #readText(character: string): Found {
    if (this.#isEscaped) this.#isEscaped = false
    else if (character === '\\') this.#isEscaped = true
    else if (character === '"') this.#isText = false
    return 'inside'
  }
}
