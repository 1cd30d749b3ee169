import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type Variable, variables } from '../../core/src/lib/config/variables.ts'

const example = fileURLToPath(new URL('../../../templates/project/.env.example', import.meta.url))

describe('.env.example', () => {
  it("lists every variable of the framework's table", async () => {
    const entries = Object.entries<Variable>(variables).map(([name, variable]) =>
      toEntry(name, variable),
    )
    const head = [
      '# Every variable the service reads, with its default. Copy what you change to .env.',
      '# Durations are 15m, 2h or seconds; sizes are 100kb or bytes.',
    ]
    await expect(`${[...head, ...entries].join('\n')}\n`).toMatchFileSnapshot(example)
  })
})

function toEntry(name: string, variable: Variable): string {
  const words = variable.meaning.replaceAll('`', '').split(' ')
  const lines = ['#']
  for (const word of words) {
    const line = `${lines.at(-1) ?? ''} ${word}`
    if (line.length <= 96) lines[lines.length - 1] = line
    else lines.push(`# ${word}`)
  }
  return ['', ...lines, `# ${name}=${toValue(variable)}`].join('\n')
}

function toValue({ example: shown, fallback }: Variable): string {
  if (shown !== undefined) return shown
  const value = typeof fallback === 'object' ? fallback.development : fallback
  return value ?? ''
}
