import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { formatCode } from './prettier.ts'
import { toJavaScript } from './to-javascript.ts'

const cases: readonly [what: string, source: string, expected: string][] = [
  [
    'the types of a function',
    'export async function get(id: string, query?: Query, page = 1): Promise<void> {}',
    `/**
 * @param {string} id
 * @param {Query} [query]
 * @returns {Promise<void>}
 */
export async function get(id, query, page = 1) {}
`,
  ],
  [
    'types beside what the comment above says',
    `// Adds two.
// Both are numbers.
const add = (a: number, { b }: Pair, options: Options, ...rest: number[]): number => a + b`,
    `/**
 * Adds two.
 * Both are numbers.
 *
 * @param {number} a
 * @param {Pair} options2
 * @param {Options} options
 * @param {number[]} rest
 * @returns {number}
 */
const add = (a, { b }, options, ...rest) => a + b
`,
  ],
  [
    'types in the tags of a comment',
    `/**
 * Adds.
 * @param a - the first
 * @returns the sum
 */
function add(a: number, b: number): number {}`,
    `/**
 * Adds.
 * @param {number} a - the first
 * @returns {number} the sum
 * @param {number} b
 */
function add(a, b) {}
`,
  ],
  [
    'what tools read, apart from them',
    `// eslint-disable-next-line max-params
function run(a: A) {}

foo() // Not about the next line.
let one: One, two: Two`,
    `// eslint-disable-next-line max-params
/** @param {A} a */
function run(a) {}

foo() // Not about the next line.
let /** @type {One} */ one, /** @type {Two} */ two
`,
  ],
  [
    'the types of functions inside of code',
    'use(async (a: A, { b }: B): Promise<C> => a, function (this: D, c?: E) {}, { d: (e: F) => e, g(): H {} })',
    `use(
  /** @returns {Promise<C>} */ async (/** @type {A} */ a, /** @type {B} */ { b }) => a,
  function (/** @type {E} */ c) {},
  { /** @param {F} e */ d: (e) => e, /** @returns {H} */ g() {} },
)
`,
  ],
  [
    'types that are defined',
    `/** A pair. */
export type Pair<A, B extends object = C> = readonly [A, B]
interface Point extends Base {
  // Across.
  x: number
  y?: '*/' | 'b'
}
export const origin: Point = zero`,
    `/**
 * A pair.
 *
 * @template A
 * @template {object} [B=C]
 * @typedef {readonly [A, B]} Pair
 */
/**
 * @typedef {Base & {
 * x: number
 * y?: '*\\/' | 'b'
 * }} Point
 */
/** @type {Point} */
export const origin = zero
`,
  ],
  [
    'imports that only types use',
    `import type { A } from 'a'
import { type B, c, D } from './b.js'
import E, * as f from 'f'
import type G from 'g'
import 'h'
export const i = c as E<A | B | D | f.I | G>`,
    `import { c } from './b.js'
import 'h'

/**
 * @import { A } from 'a'
 * @import { B, D } from './b.js'
 * @import E from 'f'
 * @import * as f from 'f'
 * @import G from 'g'
 */

export const i = /** @type {E<A | B | D | f.I | G>} */ (c)
`,
  ],
  [
    'assertions',
    `const a = [1] as const satisfies readonly number[]
const b = (x as Foo)!.y
const c = <T>d`,
    `const a = /** @satisfies {readonly number[]} */ (/** @type {const} */ ([1]))
const b = /** @type {Foo} */ (x).y
const c = /** @type {T} */ (d)
`,
  ],
  [
    'the members of a class',
    `abstract class A<T> extends B<T> implements C, D {
  private readonly a: string = ''
  static b?: number
  declare c: string
  #d!: D
  [key: string]: unknown
  abstract e(): void
  protected override async f<U>(g: U): Promise<U> {}
  constructor(h: H)
  constructor(h: I) {}
}`,
    `class A extends B {
  /** @type {string} */
  a = ''
  /** @type {number} */
  static b
  /** @type {D} */
  #d
  /**
   * @template U
   * @param {U} g
   * @returns {Promise<U>}
   */
  async f(g) {}
  /** @param {I} h */
  constructor(h) {}
}
`,
  ],
  [
    'no declarations of what is elsewhere',
    `declare const a: string
declare module 'b' {}
function c(d: string): void
function c(d: unknown) {}
export type { E } from './e.js'
type F = string
export { type F, c }
new Map<string, number>()`,
    `/** @param {unknown} d */
function c(d) {}
/** @typedef {string} F */
export { c }
new Map()
`,
  ],
]

describe('toJavaScript', () => {
  it.each(cases)('keeps %s', async (_what, source, expected) => {
    const written = await formatCode(await toJavaScript(source), 'babel')
    expect(written).toBe(expected)
    const compilerOptions = { target: ts.ScriptTarget.ESNext, removeComments: true }
    const transpile = (code: string): Promise<string> =>
      formatCode(ts.transpileModule(code, { compilerOptions }).outputText, 'babel')
    expect(await transpile(written)).toBe(await transpile(source))
  })

  it('leaves JavaScript as it is', async () => {
    const text = "import { a } from 'a'\n\n// As it is.\nexport const b = (c) => a(c)\n"
    expect(await toJavaScript(text)).toBe(text)
  })

  it.each([
    'enum Color { Red }',
    'namespace A { export const b = 1 }',
    'class A { constructor(private b: string) {} }',
    "import a = require('a')",
    'export = a',
    '@sealed class A {}',
  ])('rejects %s', async (source) => {
    await expect(toJavaScript(source)).rejects.toThrow(
      / has no equivalent in JavaScript\. Write it /,
    )
  })
})
