import { type Outcome } from '../terminal/reporter.ts'
import { type Algorithm, makeKey } from './make-key.ts'

/** Options of `api keys generate`. */
export interface GenerateKeyOptions {
  /**
   * Algorithm of access tokens it is for.
   * @default 'HS256'
   */
  readonly alg?: Algorithm | undefined
}

/**
 * Prints a new key, and changes nothing.
 *
 * @param options which kind
 * @returns the key as a line of `.env`
 */
export async function generateKey(options: GenerateKeyOptions): Promise<Outcome> {
  const { alg = 'HS256' } = options
  const { value, variable } = makeKey(alg)
  return {
    json: { command: 'keys generate', alg, variable, value },
    lines: [`${variable}=${value}`],
    notes: [
      {
        kind: 'next',
        message: `where one is in use, put the new one in front of it, with a comma (api keys rotate does so in .env)`,
      },
    ],
  }
}
