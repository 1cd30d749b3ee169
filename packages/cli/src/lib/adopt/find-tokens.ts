import type { Node } from '@babel/types'
import { nameOf } from '../code/bound-names.ts'
import { childNodes } from '../code/child-nodes.ts'
import { parseCode } from '../code/parse-code.ts'
import { textOf } from '../code/text-edits.ts'
import { type Host } from './read-host.ts'
import { type SourceFile } from './source-files.ts'

// The access tokens that the application issues by `jsonwebtoken`.
export interface Tokens {
  /** Claim with the id of the user. */
  readonly claim: string
  /** Environment variable with the secret. */
  readonly variable: string
  /** Whether the source names the variable at the call. */
  readonly isCertain: boolean
}

const idClaim = /^(sub|_?id|user_?id|uid)$/i

export async function findTokens(
  { manifest }: Host,
  sources: readonly SourceFile[],
): Promise<Tokens | undefined> {
  if (!Object.hasOwn(manifest.dependencies ?? {}, 'jsonwebtoken')) return undefined
  for (const { text } of sources) {
    if (!text.includes('jsonwebtoken')) continue
    const call = findSign(text, (await parse(text))?.program)
    if (call === undefined) continue
    const direct = /process\.env(?:\.(\w+)|\[["'](\w+)["']\])/.exec(call.secret)
    const variable = direct?.[1] ?? direct?.[2]
    return {
      claim: call.claim,
      variable: variable ?? findVariable(sources) ?? 'JWT_SECRET',
      isCertain: variable !== undefined,
    }
  }
  return undefined
}

async function parse(text: string) {
  try {
    return await parseCode(text)
  } catch {
    return undefined
  }
}

// `jwt.sign({ id: user.id }, secret)`
function findSign(
  text: string,
  node: Node | undefined,
): { readonly claim: string; readonly secret: string } | undefined {
  if (node === undefined) return undefined
  if (node.type === 'CallExpression' && /(^|\.)sign$/.test(textOf(text, node.callee))) {
    const [payload, secret] = node.arguments
    const names =
      payload?.type === 'ObjectExpression'
        ? payload.properties.map((property) =>
            property.type === 'ObjectProperty' ? nameOf(property.key) : '',
          )
        : []
    const claim = names.find((name) => idClaim.test(name))
    if (claim !== undefined && secret !== undefined) return { claim, secret: textOf(text, secret) }
  }
  for (const [, child] of childNodes(node)) {
    const found = findSign(text, child)
    if (found !== undefined) return found
  }
  return undefined
}

// The secret of a module of settings.
function findVariable(sources: readonly SourceFile[]): string | undefined {
  const name = /process\.env(?:\.|\[["'])(\w*(?:JWT|TOKEN)\w*(?:SECRET|KEY)\w*)/
  return sources.map(({ text }) => name.exec(text)?.[1]).find((found) => found !== undefined)
}
