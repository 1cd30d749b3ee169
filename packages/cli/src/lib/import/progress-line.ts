import { type CommandContext } from '../terminal/command-context.ts'
import { type Progress } from './progress-file.ts'

/** Prints how far an import has come. */
export interface ProgressLine {
  readonly show: (progress: Progress) => void
  readonly end: () => void
}

const everyMs = { terminal: 200, elsewhere: 10_000 }

// One line that changes in a terminal, a line each ten seconds elsewhere.
export function createProgressLine(
  context: CommandContext,
  total: number | undefined,
): ProgressLine {
  const { env, stderr } = context.terminal
  const isTerminal = stderr.isTTY === true && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === ''
  const isSilent = context.flags.quiet === true || context.flags.json === true
  const interval = isTerminal ? everyMs.terminal : everyMs.elsewhere
  const begun = performance.now()
  let shownAt = begun
  let first: number | undefined
  return {
    show({ done, rejected }) {
      first ??= done
      const now = performance.now()
      if (isSilent || now - shownAt < interval) return
      shownAt = now
      const rate = Math.round(((done - first) * 1000) / (now - begun))
      const of = total === undefined ? '' : ` of ${total} (${Math.floor((done * 100) / total)} %)`
      const text = `  ${done}${of} lines, ${rejected} rejected, ${rate} a second`
      if (isTerminal) stderr.write(`\r\u001B[2K${text}`)
      else context.progress(text)
    },
    end() {
      if (isTerminal && !isSilent) stderr.write('\r\u001B[2K')
    },
  }
}
