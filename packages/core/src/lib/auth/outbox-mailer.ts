import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type Mailer } from './mailer.ts'

/** Options for {@link createOutboxMailer}. */
export interface OutboxMailerOptions {
  /**
   * Folder the mails are kept in.
   * @default '.data/mail'
   */
  directory?: string | undefined
  /**
   * Told of each mail, for the developer to see.
   * @default a line on standard output with the link
   */
  print?: ((line: string) => void) | undefined
}

/**
 * Makes the mailer for development: a mail is kept as a file and its link is printed. Nothing
 * leaves the machine.
 * @param options - folder and printer
 * @returns the mailer
 */
export function createOutboxMailer(options: OutboxMailerOptions = {}): Mailer {
  const { directory = path.join('.data', 'mail'), print = printLine } = options
  let count = 0
  return {
    async send({ kind, to, subject, text, link }) {
      await mkdir(directory, { recursive: true, mode: 0o700 })
      const time = new Date().toISOString().replaceAll(':', '-')
      const file = path.join(directory, `${time}-${++count}-${kind}.txt`)
      const content = `To: ${to}\nSubject: ${subject}\n\n${text}\n`
      // The links are as good as passwords, also on a developer's machine.
      await writeFile(file, content, { mode: 0o600, flag: 'wx' })
      print(`mail to ${to}: ${subject}${link === undefined ? '' : ` ${link}`} (${file})`)
    },
  }
}

function printLine(line: string): void {
  process.stdout.write(`${line}\n`)
}
