import { type CommandContext } from './command-context.ts'
import { printable } from './printable.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']

// An animation in a terminal, one line elsewhere. Call the returned function to stop it.
export function startSpinner(context: CommandContext, message: string): () => void {
  const { env, stderr } = context.terminal
  const animated = stderr.isTTY === true && env['TERM'] !== 'dumb' && (env['CI'] ?? '') === ''
  if (!animated || context.flags.quiet || context.flags.json) {
    context.progress(message)
    return () => undefined
  }
  let frame = 0
  const timer = setInterval(() => {
    stderr.write(`\r${frames[frame % frames.length] ?? ''}${printable(message.slice(1))}`)
    frame += 1
  }, 80)
  return () => {
    clearInterval(timer)
    stderr.write('\r\u001B[2K')
  }
}
