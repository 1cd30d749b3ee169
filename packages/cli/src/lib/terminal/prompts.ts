import type * as clackModule from '@clack/prompts'
import { CliError } from '../errors.ts'
import { type Change } from '../files/change.ts'
import { toUnifiedDiff } from '../files/diff.ts'
import { type ConflictChoice } from '../files/settle-conflicts.ts'

type Clack = typeof clackModule

// Loaded only when a question is asked: without a terminal it ends the process.
async function loadClack(): Promise<Clack> {
  return import('@clack/prompts')
}

// A symbol says that the question was cancelled.
function requireAnswer<Answer>(answer: Answer | symbol): Answer {
  if (typeof answer === 'symbol') throw new CliError('CANCELLED', 'cancelled; nothing was written')
  return answer
}

/**
 * Asks for a line of text.
 *
 * @param message the question
 * @param initial the answer when nothing is typed
 * @returns the answer
 * @throws CliError `CANCELLED`
 */
export async function askText(message: string, initial: string): Promise<string> {
  const clack = await loadClack()
  const answer = await clack.text({ message, placeholder: initial, defaultValue: initial })
  return requireAnswer<string>(answer)
}

/**
 * Asks for a text that is not shown.
 *
 * @param message the question
 * @returns the answer
 * @throws CliError `CANCELLED`
 */
export async function askPassword(message: string): Promise<string> {
  const clack = await loadClack()
  return requireAnswer<string>(await clack.password({ message }))
}

/**
 * Asks a yes-or-no question.
 *
 * @param message the question
 * @param initial the answer when only Enter is pressed
 * @returns the answer
 * @throws CliError `CANCELLED`
 */
export async function askYesNo(message: string, initial = true): Promise<boolean> {
  const clack = await loadClack()
  return requireAnswer<boolean>(await clack.confirm({ message, initialValue: initial }))
}

/**
 * Makes the question for files that differ. "All" answers hold for the files after it.
 *
 * @returns a function that asks about one file
 */
export function askAboutConflict(): (change: Change) => Promise<ConflictChoice> {
  let forAll: ConflictChoice | undefined
  return async (change) => {
    if (forAll !== undefined) return forAll
    const clack = await loadClack()
    for (;;) {
      const answer = await clack.select({
        message: `${change.path} differs from what would be generated`,
        initialValue: 'n',
        options: [
          { value: 'n', label: 'keep yours' },
          { value: 'y', label: 'overwrite' },
          { value: 'd', label: 'show the difference' },
          { value: 'a', label: 'overwrite all' },
          { value: 's', label: 'keep all' },
          { value: 'q', label: 'quit, nothing written' },
        ],
      })
      const choice = requireAnswer<string>(answer)
      if (choice === 'q') throw new CliError('CANCELLED', 'cancelled; nothing was written')
      if (choice === 'd') clack.log.message(showDifference(change))
      if (choice === 'a' || choice === 's') forAll = choice === 'a' ? 'overwrite' : 'keep'
      if (choice !== 'd') return choice === 'y' || choice === 'a' ? 'overwrite' : 'keep'
    }
  }
}

function showDifference({ path, before, after }: Change): string {
  return toUnifiedDiff(path, before ?? '', after ?? '').join('\n')
}
