import type * as clackModule from '@clack/prompts'
import { CliError } from '../errors/cli-error.ts'
import { type Change } from '../files/change.ts'
import { formatDiff } from '../files/diff.ts'
import { type ConflictChoice } from '../files/settle-conflicts.ts'
import { printable } from './printable.ts'

type Clack = typeof clackModule

// Loaded only for a prompt: without a terminal, importing it would end the process.
async function loadClack(): Promise<Clack> {
  return import('@clack/prompts')
}

// clack returns a symbol when the user cancels.
function requireValue<Value>(value: Value | symbol): Value {
  if (typeof value === 'symbol') throw new CliError('CANCELLED', 'cancelled; nothing was written')
  return value
}

export async function askText(message: string, initial: string): Promise<string> {
  const clack = await loadClack()
  const reply = await clack.text({
    message: printable(message),
    placeholder: printable(initial),
    defaultValue: initial,
  })
  return requireValue<string>(reply)
}

export async function askPassword(message: string): Promise<string> {
  const clack = await loadClack()
  return requireValue<string>(await clack.password({ message: printable(message) }))
}

export async function askYesNo(message: string, initial = true): Promise<boolean> {
  const clack = await loadClack()
  return requireValue<boolean>(
    await clack.confirm({ message: printable(message), initialValue: initial }),
  )
}

// Asks about one file after another; "all" also decides about those that follow.
export function askAboutConflict(): (change: Change) => Promise<ConflictChoice> {
  let forAll: ConflictChoice | undefined
  return async (change) => {
    if (forAll !== undefined) return forAll
    const clack = await loadClack()
    for (;;) {
      const reply = await clack.select({
        message: `${printable(change.path)} differs from what would be generated`,
        initialValue: 'n',
        options: [
          { value: 'n', label: 'keep yours' },
          { value: 'y', label: 'overwrite' },
          { value: 'd', label: 'show the difference' },
          { value: 'a', label: 'overwrite all' },
          { value: 's', label: 'keep all' },
          { value: 'q', label: 'quit without writing' },
        ],
      })
      const choice = requireValue<string>(reply)
      if (choice === 'q') throw new CliError('CANCELLED', 'cancelled; nothing was written')
      if (choice === 'd') clack.log.message(printable(showDifference(change)))
      if (choice === 'a' || choice === 's') forAll = choice === 'a' ? 'overwrite' : 'keep'
      if (choice !== 'd') return choice === 'y' || choice === 'a' ? 'overwrite' : 'keep'
    }
  }
}

function showDifference({ path, before, after }: Change): string {
  return formatDiff(path, before ?? '', after ?? '').join('\n')
}
