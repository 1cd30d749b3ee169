import { resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { readText } from '../files/plan.ts'

const timeoutMs = 30_000

// A document from a URL or a file, as JSON.
export async function readSource(cwd: string, source: string): Promise<unknown> {
  const text = /^https?:\/\//.test(source) ? await download(source) : readFile(cwd, source)
  return parseDocument(text, source, 'convert a document in YAML to JSON first')
}

export function parseDocument(text: string, source: string, hint?: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new CliError('INVALID_DOCUMENT', `${source} is not JSON: ${reason}`, { hint, cause })
  }
}

async function download(url: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) })
    if (response.ok) return await response.text()
    throw new Error(`status ${response.status}`)
  } catch (error) {
    const { cause, message } = error instanceof Error ? error : new Error(String(error))
    const reason = cause instanceof Error ? cause.message : message
    throw new CliError('INVALID_DOCUMENT', `${url} cannot be read: ${reason}`, { cause: error })
  }
}

function readFile(cwd: string, path: string): string {
  const text = readText(resolve(cwd, path))
  if (text !== undefined) return text
  throw new CliError('INVALID_DOCUMENT', `there is no file ${path}`)
}
