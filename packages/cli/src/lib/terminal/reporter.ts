import { type CliError } from '../errors/cli-error.ts'
import { foldText } from './fold-text.ts'
import { printable } from './printable.ts'
import { type GlobalFlags, isColourful, type Terminal } from './terminal.ts'

/** The result of a command. */
export interface Outcome {
  /**
   * Exit code.
   * @default 0
   */
  readonly exit?: number | undefined
  /** The document for `--json`; `ok` and `warnings` are added. */
  readonly json: Readonly<Record<string, unknown>>
  /** Lines for stdout. */
  readonly lines: readonly string[]
  /** Notes for stderr. */
  readonly notes: readonly Note[]
}

/** A note printed to stderr. */
export interface Note {
  readonly kind: 'note' | 'warning' | 'next'
  /** Stable name; notes that have one are listed under `warnings` in JSON. */
  readonly code?: string | undefined
  readonly message: string
  /** Commands for what the message suggests, ready to paste. */
  readonly commands?: readonly string[] | undefined
}

export function toWarning(code: string, message: string): Note {
  return { kind: 'warning', code, message }
}

/** Prints results and errors to the terminal. */
export interface Reporter {
  /** Prints the result of a command. */
  readonly report: (outcome: Outcome) => void
  /** Prints an error. */
  readonly fail: (error: CliError) => void
  /** Prints a line to stderr about what is being done. */
  readonly progress: (line: string) => void
}

export function createReporter(terminal: Terminal, flags: GlobalFlags): Reporter {
  const colour = isColourful(terminal, flags)
  const ascii = terminal.env['TERM'] === 'dumb'
  const write = (
    sink: Terminal['stdout'],
    text: string,
    toColours = (line: string) => line,
  ): void => {
    const shown = printable(ascii ? toAscii(text) : text)
    sink.write(`${colour ? toColours(shown) : shown}\n`)
  }
  const writeNote = (text: string, toColours?: (line: string) => string): void => {
    if (!flags.quiet) write(terminal.stderr, text, toColours)
  }
  return {
    report(outcome) {
      if (flags.json) {
        write(terminal.stdout, JSON.stringify(toDocument(outcome), undefined, 2))
        return
      }
      for (const line of outcome.lines) write(terminal.stdout, line, paintAction)
      for (const { kind, message, commands = [] } of outcome.notes) {
        const [first = '', ...rest] = fold(message, terminal.stderr)
        writeNote(`  ${kind}: ${first}`, (line) => paint(line, `${kind}:`, noteColours[kind]))
        for (const line of [...rest, ...commands]) writeNote(noteIndent + line)
      }
    },
    fail(error) {
      if (flags.json) {
        write(terminal.stdout, JSON.stringify({ ok: false, error: toJson(error) }, undefined, 2))
        return
      }
      write(terminal.stderr, `error: ${error.message}`, (line) => paint(line, 'error:', 'red'))
      for (const line of error.details) write(terminal.stderr, line)
      for (const line of toHint(error.hint, terminal.stderr)) write(terminal.stderr, `  ${line}`)
      if (error.code === 'UNEXPECTED' && flags.verbose) write(terminal.stderr, stackOf(error))
    },
    progress: writeNote,
  }
}

const colours = { red: 31, green: 32, yellow: 33, blue: 34, dim: 2 } as const
const noteIndent = ' '.repeat(8)
const noteColours = { note: 'blue', warning: 'yellow', next: 'green' } as const
const actionColours: ReadonlyMap<string, keyof typeof colours> = new Map(
  Object.entries<keyof typeof colours>({
    create: 'green',
    update: 'green',
    delete: 'yellow',
    overwrite: 'yellow',
    keep: 'dim',
    conflict: 'red',
    identical: 'dim',
    unchanged: 'dim',
  }),
)

function paint(line: string, word: string, colour: keyof typeof colours): string {
  return line.replace(word, () => `\u001B[${colours[colour]}m${word}\u001B[0m`)
}

function paintAction(line: string): string {
  const verb = /^ {2}(\w+)/.exec(line)?.[1] ?? ''
  const colour = actionColours.get(verb)
  return colour === undefined ? line : paint(line, verb, colour)
}

// Only terminals have a width. Commands are not folded, so that they can be pasted.
function fold(message: string, { columns, isTTY }: Terminal['stderr']): readonly string[] {
  if (isTTY !== true || columns === undefined) return [message]
  return foldText(message, Math.max(columns, 40) - noteIndent.length - 4)
}

// Wide gaps separate alternatives, which have their own lines when one line is too short.
function toHint(hint = '', sink: Terminal['stderr']): readonly string[] {
  if (hint === '' || fold(hint, sink).length === 1) return hint === '' ? [] : [hint]
  return hint.split(/ {3,}/).flatMap((way) => fold(way, sink))
}

function toAscii(text: string): string {
  return text
    .replaceAll('→', '->')
    .replaceAll('−', '-')
    .replaceAll('…', '...')
    .replaceAll('✓', 'ok')
    .replaceAll('✗', 'x')
}

function toDocument(outcome: Outcome): object {
  const warnings = outcome.notes.flatMap(({ code, commands, message }) =>
    code === undefined ? [] : [{ code, message, commands }],
  )
  return { ok: (outcome.exit ?? 0) === 0, ...outcome.json, warnings }
}

function toJson(error: CliError): object {
  const { code, details, exit, files, hint, message } = error
  return {
    code,
    exit,
    message,
    ...(hint !== undefined && { hint }),
    ...(files.length > 0 && { files }),
    ...(details.length > 0 && { details: details.map((line) => line.trimEnd()) }),
  }
}

function stackOf(error: CliError): string {
  return (error.cause instanceof Error ? error.cause.stack : undefined) ?? ''
}
