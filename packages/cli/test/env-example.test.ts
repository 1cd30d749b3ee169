import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { environmentTable } from '../../core/src/lib/config/environment-table.ts'
import { toEnvExample } from '../src/lib/env/env-example.ts'

const example = fileURLToPath(new URL('../../../templates/project/.env.example', import.meta.url))

describe('.env.example', () => {
  it("lists every variable of the framework's table", async () => {
    await expect(toEnvExample(undefined, environmentTable)).toMatchFileSnapshot(example)
  })
})
