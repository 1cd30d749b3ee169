import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type CommandContext } from '../terminal/command-context.ts'
import { startProgress } from './progress-file.ts'
import { createProgressLine } from './progress-line.ts'

let printed: string[]

beforeEach(() => {
  printed = []
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

function createContext(isTTY: boolean, json = false): CommandContext {
  const sink = { isTTY, write: (text: string) => printed.push(text) }
  return {
    terminal: {
      cwd: '/',
      env: {},
      stdin: (async function* () {
        yield ''
      })(),
      stdout: sink,
      stderr: sink,
    },
    flags: { json },
    cwd: '/',
    interactive: false,
    progress: (line) => printed.push(`${line}\n`),
    report: () => undefined,
  }
}

function showThree(context: CommandContext): void {
  const line = createProgressLine(context, 1000)
  const progress = startProgress({ file: '', path: '', database: '', options: '' })
  for (const done of [0, 200, 400]) {
    line.show({ ...progress, done, rejected: done / 100 })
    vi.advanceTimersByTime(8000)
  }
  line.end()
}

describe('createProgressLine', () => {
  it('changes one line in a terminal, and removes it', () => {
    showThree(createContext(true))
    expect(printed).toEqual([
      '\r\u001B[2K  200 of 1000 (20 %) lines, 2 rejected, 25 a second',
      '\r\u001B[2K  400 of 1000 (40 %) lines, 4 rejected, 25 a second',
      '\r\u001B[2K',
    ])
  })

  it('prints a line each ten seconds elsewhere', () => {
    showThree(createContext(false))
    expect(printed).toEqual(['  400 of 1000 (40 %) lines, 4 rejected, 25 a second\n'])
  })

  it('prints nothing with --json', () => {
    showThree(createContext(true, true))
    expect(printed).toEqual([])
  })
})
