import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tsc } from '../compile-project.ts'
import { modules } from '../linked-project.ts'
import { createTemporaryFolder } from '../run-program.ts'
import { adopt } from './applications.ts'

const app = `import express from 'express'
import jwt from 'jsonwebtoken'

export const app = express()
export const toToken = (id: string) => jwt.sign({ id }, process.env['TOKEN_SECRET'] ?? '')
`

const hash = `import { randomBytes, scryptSync } from 'node:crypto'

export function hash(password: string): string {
  const salt = randomBytes(16).toString('hex')
  return \`\${salt}:\${scryptSync(password, salt, 64).toString('hex')}\`
}
`

const fields =
  'role: String, name: { type: String, required: true }, active: Boolean, verified: Boolean'

const models = {
  bcrypt: `{ email: { type: String, unique: true }, password: String, ${fields} }, { timestamps: true })`,
  scrypt: `{ email: { type: String, unique: true }, password: String })`,
  'passport-local-mongoose': `{ email: String, ${fields} })
schema.plugin(passportLocalMongoose, { usernameField: 'email' })`,
}

const compilerOptions = {
  module: 'nodenext',
  target: 'es2023',
  strict: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
}

describe.each(Object.entries(models))('an application in TypeScript with %s', (name, schema) => {
  it('compiles with the files of the API', async () => {
    const root = createTemporaryFolder()
    symlinkSync(modules, join(root, 'node_modules'))
    mkdirSync(join(root, 'src'))
    const hasher = { bcrypt: ['bcryptjs'], scrypt: [] }[name] ?? [name]
    const packages = ['express', 'mongoose', 'jsonwebtoken', ...hasher]
    const dependencies = Object.fromEntries(packages.map((one) => [one, '*']))
    write('package.json', JSON.stringify({ name: 'typed', type: 'module', dependencies }))
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['src'] }))
    write('src/app.ts', app)
    const plugin =
      'declare const passportLocalMongoose: (schema: Schema, options?: object) => void\n'
    const model = `const schema = new Schema(${schema}\nexport const User = model('User', schema)\n`
    write(
      'src/user.ts',
      `import { model, Schema } from 'mongoose'\n${schema.includes('plugin') ? plugin : ''}${model}`,
    )
    write('src/hash.ts', hash)
    function write(file: string, text: string): void {
      writeFileSync(join(root, file), text)
    }

    const { code, stdout } = await adopt(root, '--yes')
    expect(code).toBe(0)
    expect(stdout).toContain('create     src/api/users.ts')
    if (name === 'scrypt') expect(stdout).toContain('hashes of scrypt')
    const compiled = spawnSync(process.execPath, [tsc, '-p', '.', '--checkers', '1'], { cwd: root })
    expect(compiled.stdout.toString()).toBe('')
  })
})
