import { CliError } from '../errors.ts'

/**
 * Splits a text into arguments at spaces; quotes keep spaces together. No shell is involved.
 *
 * @param text such as `posts title:string "note:string:default=to do"`
 * @returns the arguments
 * @throws CliError `USAGE` for a quote without its partner
 */
export function splitArguments(text: string): readonly string[] {
  const words = text.match(/(?:[^\s"']|"[^"]*"|'[^']*')+/g) ?? []
  const plain = words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  const rest = text.replaceAll(/"[^"]*"|'[^']*'/g, '')
  const lonely = /["']/.exec(rest)?.[0]
  if (lonely === undefined) return plain
  throw new CliError('USAGE', `--resource has a ${lonely} without its partner`)
}
