import { describe, expect, it } from 'vitest'
import { CliError } from '../errors/cli-error.ts'
import { type InflectionRules } from './inflect.ts'
import { requireUsableNames } from './reserved.ts'
import { toInflectionRule, toResourceNames } from './resource-names.ts'

const rules: InflectionRules = { irregular: {}, uncountable: [] }

describe('toResourceNames', () => {
  it.each(['BlogPost', 'blogPost', 'blog-posts', 'blog_post', 'BlogPosts', 'blog-post'])(
    'gives the same names for %s',
    (typed) => {
      expect(toResourceNames(typed, rules)).toEqual({
        typed,
        model: 'BlogPost',
        models: 'BlogPosts',
        label: 'blog post',
        labelWithArticle: 'a blog post',
        labels: 'blog posts',
        one: 'blogPost',
        many: 'blogPosts',
        singular: 'blog-post',
        plural: 'blog-posts',
        router: 'blogPostsRouter',
        collection: 'blog_posts',
      })
    },
  )

  it.each([
    ['post', 'posts'],
    ['cache', 'caches'],
    ['cookie', 'cookies'],
    ['canvas', 'canvases'],
    ['axis', 'axes'],
    ['basis', 'bases'],
    ['oasis', 'oases'],
    ['lens', 'lenses'],
    ['atlas', 'atlases'],
    ['bias', 'biases'],
    ['schema', 'schemas'],
    ['virus', 'viruses'],
    ['hero', 'heroes'],
    ['die', 'dice'],
    ['category', 'categories'],
    ['box', 'boxes'],
    ['person', 'people'],
    ['child', 'children'],
    ['mouse', 'mice'],
    ['leaf', 'leaves'],
    ['gas', 'gases'],
    ['status', 'statuses'],
    ['address', 'addresses'],
    ['analysis', 'analyses'],
    ['index-entry', 'index-entries'],
    ['matrix', 'matrices'],
    ['user', 'users'],
    ['city', 'cities'],
    ['day', 'days'],
    ['life', 'lives'],
    ['quiz', 'quizzes'],
    ['bus', 'buses'],
    ['photo', 'photos'],
    ['event', 'events'],
    ['file', 'files'],
    ['criterion', 'criteria'],
  ])('keeps %s and %s together from either side', (singular, plural) => {
    for (const typed of [singular, plural]) {
      expect(toResourceNames(typed, rules)).toMatchObject({ singular, plural })
    }
  })

  it.each(['data', 'metadata', 'sms', 'news', 'feedback', 'series', 'species', 'money', 'dns'])(
    'gives %s its own list variable',
    (word) => {
      const names = toResourceNames(word, rules)
      expect(names).toMatchObject({ one: word, plural: word, many: `${word}List` })
    },
  )

  it('follows the rules of the project before its own', () => {
    const own = { irregular: { cow: 'kine' }, uncountable: ['posts'] }
    expect(toResourceNames('cows', own).plural).toBe('cows')
    expect(toResourceNames('kine', own)).toMatchObject({ singular: 'cow', plural: 'kine' })
    expect(toResourceNames('posts', own).many).toBe('postsList')
  })

  it('lets an override win, and says what to remember', () => {
    const names = toResourceNames('cow', rules, { singular: 'cow', plural: 'kine' })
    expect(names).toMatchObject({ model: 'Cow', plural: 'kine', router: 'kineRouter' })
    expect(toInflectionRule(names)).toEqual(['cow', 'kine'])
    const far = toResourceNames('x', rules, { singular: 'red-cow', plural: 'blue-kine' })
    expect(() => toInflectionRule(far)).toThrow('may differ in their last word only')
  })

  it('splits acronyms and digits', () => {
    expect(toResourceNames('HTTPServer', rules).plural).toBe('http-servers')
    expect(toResourceNames('oauth2Token', rules).plural).toBe('oauth2-tokens')
  })

  it.each([
    '../../x',
    '/etc/passwd',
    'a/b',
    'C:\\x',
    '\0',
    'a\0b',
    '',
    ' ',
    '日本',
    '1abc',
    '-rf',
    'po"sts',
    "po'sts",
    'x'.repeat(65),
    'x'.repeat(300),
    'a b',
    'a--b',
    'a-',
    '_a',
    'a.b',
    'posts;touch PWNED',
    '$(touch PWNED)',
    '`id`',
    '{{constructor}}',
    '<%=1%>',
    '${1}',
    'a\nb',
  ])('refuses %j as a name', (typed) => {
    const error = catchError(() => toResourceNames(typed, rules))
    expect(error).toMatchObject({ code: 'INVALID_NAME', exit: 2 })
  })

  it('suggests a name near the one refused', () => {
    const error = catchError(() => toResourceNames('1 bad name!', rules))
    expect(error).toMatchObject({ hint: expect.stringContaining('for example bad-name') })
  })
})

describe('requireUsableNames', () => {
  it.each(
    `class new delete function import export default enum null true await async yield static let
    interface implements package private public protected any unknown never string number boolean
    object symbol void this super typeof instanceof abstract declare readonly
    prototype constructor Object Array Map Set Date Error Promise Symbol Function Document Model
    Schema Router Request Response auth health docs openapi v1 index con prn aux nul com1 lpt9
    users user session z success service params`.split(/\s+/),
  )('refuses %s with a reason', (typed) => {
    const error = catchError(() => requireUsableNames(toResourceNames(typed, rules)))
    expect(error).toMatchObject({ code: 'INVALID_NAME', exit: 2 })
    expect(String(error)).toContain('cannot be a resource: ')
  })

  it.each(Object.getOwnPropertyNames(Object.prototype))(
    'refuses %s, which every object has',
    (typed) => {
      const error = catchError(() => requireUsableNames(toResourceNames(typed, rules)))
      expect(error).toMatchObject({ code: 'INVALID_NAME', exit: 2 })
    },
  )

  it.each(['events', 'files', 'images', 'locations', 'comments', 'modules', 'types', 'pages'])(
    'accepts %s',
    (typed) => {
      expect(() => requireUsableNames(toResourceNames(typed, rules))).not.toThrow()
    },
  )
})

function catchError(action: () => unknown): unknown {
  try {
    action()
  } catch (error) {
    if (error instanceof CliError) return error
    throw error
  }
  return undefined
}
