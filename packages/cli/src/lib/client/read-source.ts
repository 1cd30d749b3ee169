import { resolve } from 'node:path'
import { CliError } from '../errors/cli-error.ts'
import { readText } from '../files/plan.ts'

const timeoutMs = 30_000

// A document from a URL or a file, as JSON.
export async function readSource(cwd: string, source: string): Promise<unknown> {
  const text = /^https?:\/\//.test(source) ? await download(source) : readFile(cwd, source)
  try {
    return JSON.parse(text)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CliError('INVALID_DOCUMENT', `${source} is not JSON: ${reason}`, {
      hint: 'convert a document in YAML to JSON first',
      cause: error,
    })
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
