import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { environmentTable } from '../../core/src/lib/settings/describe-environment.ts'
import { formatEnvExample } from '../src/lib/env/env-example.ts'

describe('.env.example', () => {
  it.each(['templates/project', 'examples/blog'])('of %s lists every variable', async (folder) => {
    const file = fileURLToPath(new URL(`../../../${folder}/.env.example`, import.meta.url))
    await expect(formatEnvExample(undefined, environmentTable)).toMatchFileSnapshot(file)
  })
})
