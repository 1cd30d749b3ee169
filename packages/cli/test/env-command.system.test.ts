import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createApiProgram } from '../src/lib/programs/api-program.ts'
import { addOption, createLinkedProject, sourceEnv } from './linked-project.ts'
import { createProject, type Result, runProgram } from './run-program.ts'

function api(
  root: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Result> {
  return runProgram(createApiProgram, ['env', ...args], {
    cwd: root,
    env: { ...sourceEnv, ...env },
  })
}

const config = `import { readEnv } from '@create-api/core'
import { z } from 'zod'

export const env = readEnv({
  SHOP_URL: z.url().describe('Where the shop is.'),
  SHOP_TOKEN: z.string().optional(),
  SHOP_PAGE: z.coerce.number().default(50),
})
`

describe('api env', () => {
  it('shows values, sources, defaults and meanings, but no secret', async () => {
    const root = await createLinkedProject()
    appendFileSync(join(root, '.env'), 'PORT=4000\nLOG_LEVLE=debug\n')
    addOption(root, 'cors: { origins: ["https://shop.example"] }')
    const secret = /JWT_SECRET=(\S+)/.exec(readFileSync(join(root, '.env'), 'utf8'))?.[1] ?? ''
    const { code, stderr, stdout } = await api(root, [], { RATE_LIMIT: '7' })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^NAME +VALUE +SOURCE +DEFAULT\n/)
    expect(stdout).toMatch(/\nPORT +4000 +\.env +3000\n {4}TCP port to listen on/)
    expect(stdout).toMatch(/\nRATE_LIMIT +7 +environment +300\n/)
    expect(stdout).toMatch(/\nJWT_SECRET +\(hidden\) +\.env\n/)
    expect(stdout).toMatch(/\nCORS_ORIGINS +\["https:\/\/shop\.example"\] +code: cors\.origins\n/)
    expect(stdout).toMatch(/\nHOST +0\.0\.0\.0 +default +0\.0\.0\.0\n/)
    expect(stdout).not.toContain(secret)
    expect(stderr).toContain('LOG_LEVLE in .env is unknown; did you mean LOG_LEVEL?')
    const json = await api(root, ['--json', 'jwt_secret'])
    expect(json.stdout).not.toContain(secret)
    expect(JSON.parse(json.stdout)).toMatchObject({
      ok: true,
      command: 'env',
      variables: [{ name: 'JWT_SECRET', source: '.env', isSecret: true }],
      missing: [],
      warnings: [{ code: 'UNKNOWN_NAME' }],
    })
  })

  it("checks, and completes .env.example with the project's own variables", async () => {
    const root = await createLinkedProject()
    writeFileSync(join(root, 'src/config.ts'), config)
    const app = join(root, 'src/app.ts')
    writeFileSync(app, `import './config.js'\n${readFileSync(app, 'utf8')}`)
    const wrong = await api(root, ['--check'], { PORT: 'x', SHOP_TOKEN: 'hidden' })
    expect(wrong.code).toBe(1)
    expect(wrong.stdout).toMatch(/SHOP_URL +- +unset\n {4}Where the shop is\.\n {2}✗ /)
    expect(wrong.stdout).toMatch(/SHOP_TOKEN +\(hidden\) +environment\n/)
    expect(wrong.stderr).toContain('PORT must be a whole number')
    expect(wrong.stderr).toContain('does not mention SHOP_URL, SHOP_TOKEN, SHOP_PAGE')
    const example = join(root, '.env.example')
    const before = readFileSync(example, 'utf8')
    const own = before.replace('# PORT=3000', 'PORT=3001')
    writeFileSync(example, own)
    expect((await api(root, ['--write'])).stdout).toContain('  update     .env.example')
    expect(readFileSync(example, 'utf8')).toBe(
      `${own}\n# Where the shop is.\n# SHOP_URL=\n\n# SHOP_TOKEN=\n\n# SHOP_PAGE=50\n`,
    )
    expect((await api(root, ['--check'], { SHOP_URL: 'https://shop.test' })).code).toBe(0)
  })

  it('reports why the application cannot be imported', async () => {
    const root = await createLinkedProject()
    writeFileSync(join(root, 'src/app.ts'), "throw new Error('no luck')\n")
    const { code, stderr, stdout } = await api(root, ['--check'])
    expect(code).toBe(1)
    expect(stdout).toContain('PORT')
    expect(stderr).toContain('the application could not be imported: no luck')
    const bare = await api(await createProject(), [])
    expect(bare.code).toBe(1)
    expect(bare.stderr).toContain('the dependencies are not installed\n  npm install')
  })
})
