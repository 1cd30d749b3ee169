import { chmodSync, createWriteStream, mkdirSync } from 'node:fs'
import { once } from 'node:events'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createImportProject, type ImportProject } from './import-project.ts'

let project: ImportProject

beforeEach(async () => {
  project = await createImportProject(['posts', 'title:string', 'code:string?', 'extra:any?'])
})

interface Rejection {
  readonly file: string
  readonly content?: string | Uint8Array
  readonly args?: readonly string[]
  readonly message: string
  readonly hint?: string
}

const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le')
const columns = Array.from({ length: 10_000 }, (_, index) => `column ${index}`).join(',')

const rejections: readonly Rejection[] = [
  { file: 'missing.csv', message: 'there is no file', hint: 'or - for standard input' },
  { file: 'src', message: 'src is not a file' },
  { file: 'empty.csv', content: '', message: 'empty.csv is empty' },
  { file: 'blank.csv', content: '\n\n', message: 'has no line with the names of the columns' },
  {
    file: 'posts.xlsx',
    content: 'PK',
    message: 'the format of posts.xlsx is not known',
    hint: '--format csv',
  },
  {
    file: 'latin.csv',
    content: Buffer.from('title\nJos\xe9\n', 'latin1'),
    message: 'latin.csv is not UTF-8, in or after line 1',
    hint: '--encoding windows-1252',
  },
  {
    file: 'utf16.csv',
    content: utf16('title\nOne\n'),
    message: 'utf16.csv contains NUL characters',
    hint: '--encoding utf-16le',
  },
  { file: 'nul.csv', content: 'title\nO\0ne\n', message: 'nul.csv contains NUL characters' },
  {
    file: 'a.csv',
    content: 'title\nOne\n',
    args: ['--encoding', 'klingon'],
    message: 'unknown encoding "klingon"',
  },
  {
    file: 'a.csv',
    content: 'title\nOne\n',
    args: ['--delimiter', 'semikolon'],
    message: '"semikolon" is not a delimiter',
    hint: 'did you mean "semicolon"?',
  },
  {
    file: 'twice.csv',
    content: 'title,title\nOne,Two\n',
    message: 'twice.csv has two columns with the name "title"',
  },
  {
    file: 'open.csv',
    content: 'title\n"One\nTwo\n',
    message: 'open.csv, line 3: a quote that is opened is never closed',
  },
  {
    file: 'quote.csv',
    content: 'title\n"One"x\n',
    message: 'quote.csv, line 2: text follows a closing quote',
  },
  {
    file: 'inner.csv',
    content: 'title\nO"ne\n',
    message: 'inner.csv, line 2: a quote is in the middle of a cell',
  },
  {
    file: 'proto.csv',
    content: 'title,__proto__\nOne,x\n',
    message: 'the request has no field for these columns\n  __proto__\n',
  },
  {
    file: 'near.csv',
    content: 'title,cod\nOne,x\n',
    message: '  cod  did you mean "code"?',
    hint: '--ignore cod',
  },
  { file: 'many.csv', content: `title,${columns}\nOne\n`, message: '  column 9\n  and 9990 more' },
  {
    file: 'required.csv',
    content: 'code\nx\n',
    message: 'no column has the required field "title"',
    hint: '--set title=value',
  },
  {
    file: 'escape.csv',
    content: 'title,\u001B[31mred\nOne,x\n',
    message: String.raw`  \u001b[31mred`,
  },
  {
    file: 'both.csv',
    content: 'title,Title\nOne,x\n',
    message: 'the column "title" and the column "Title" both give the field "title" a value',
  },
  {
    file: 'a.csv',
    content: 'title\nOne\n',
    args: ['--set', 'title=x'],
    message: 'the column "title" and --set title both give',
  },
  {
    file: 'a.csv',
    content: 'title\nOne\n',
    args: ['--set', 'titel=x'],
    message: '--set titel: the request has no field "titel"',
    hint: 'did you mean "title"?',
  },
  {
    file: 'a.csv',
    content: 'title\nOne\n',
    args: ['--map', 'Titel=title'],
    message: 'the file has no column "Titel"',
  },
  {
    file: 'a.csv',
    content: 'title\nOne\n',
    args: ['--map', 'title'],
    message: '"title" is not name=value',
  },
  {
    file: 'a.csv',
    content: 'title\nOne\n',
    args: ['--map', 'none.json'],
    message: 'none.json cannot be read',
  },
  {
    file: 'array.json',
    content: '{"title":"One"}',
    message: 'array.json, line 1: an array of objects is expected',
    hint: '--format ndjson',
  },
  {
    file: 'unclosed.json',
    content: '[{"title":"One"}',
    message: 'unclosed.json, line 1: an array of objects is expected',
  },
  { file: 'after.json', content: '[]\n[]', message: 'after.json, line 2: text follows the array' },
]

describe('api import', () => {
  it.each(rejections)(
    'rejects $file $args: $message',
    async ({ args = [], content, file, hint, message }) => {
      if (content !== undefined) project.write(file, content)
      const { code, stderr } = await project.api(['import', 'posts', file, ...args])
      expect(stderr).toContain(message)
      if (hint !== undefined) expect(stderr).toContain(hint)
      expect(stderr).not.toContain('\u001B')
      expect(code).toBe(2)
    },
  )

  it.each([
    ['{', 'cannot be read'],
    ['[]', 'is not a JSON object'],
    ['{"colums":{}}', 'has the unknown member "colums"'],
    ['{"columns":{"a":1}}', 'has columns that are not the names of fields'],
    ['{"set":[]}', 'has set or defaults that are not objects'],
    ['{"ignore":"a"}', 'has an ignore that is not a list of columns'],
  ])('rejects the mapping %s', async (text, message) => {
    project.write('a.csv', 'title\nOne\n')
    project.write('bad.json', text)
    const { code, stderr } = await project.api(['import', 'posts', 'a.csv', '--map', 'bad.json'])
    expect(stderr).toContain(message)
    expect(code).toBe(2)
  })

  it.each([
    ['post', 'no route creates documents of "post"', 'did you mean "posts"?'],
    ['/api/nothing', 'there is no route POST /api/nothing', '/api/posts'],
  ])('rejects the resource %s', async (resource, message, hint) => {
    project.write('a.csv', 'title\nOne\n')
    const { code, stderr } = await project.api(['import', resource, 'a.csv'])
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
    expect(code).toBe(2)
  })

  it('rejects empty standard input', async () => {
    const { stderr, code } = await project.api(['import', 'posts', '-', '--format', 'csv'])
    expect(stderr).toContain('standard input is empty')
    expect(code).toBe(2)
  })

  it.skipIf(process.getuid?.() === 0)('rejects a file that it may not read', async () => {
    project.write('secret.csv', 'title\nOne\n')
    chmodSync(join(project.root, 'secret.csv'), 0)
    const { stderr, code } = await project.api(['import', 'posts', 'secret.csv'])
    expect(stderr).toContain('secret.csv cannot be read')
    expect(code).toBe(2)
  })

  it('reads UTF-16 with a byte order mark, and other encodings by name', async () => {
    project.write('excel.csv', Buffer.concat([Buffer.from([0xff, 0xfe]), utf16('title\nJosé\n')]))
    expect((await project.api(['import', 'posts', 'excel.csv'])).code).toBe(0)
    project.write('latin.csv', Buffer.from('title\nAndr\xe9\n', 'latin1'))
    const latin = ['import', 'posts', 'latin.csv', '--encoding', 'latin1']
    expect((await project.api(latin)).code).toBe(0)
    const titles = (await project.list('/api/posts')).map(({ title }) => title)
    expect(titles).toEqual(expect.arrayContaining(['José', 'André']))
  })

  it('stops reading a line of 100 MB', async () => {
    const file = createWriteStream(join(project.root, 'long.csv'))
    file.write('title\n"')
    for (let megabyte = 0; megabyte < 100; megabyte += 1) file.write('x'.repeat(1_000_000))
    file.end('"\n')
    await once(file, 'close')
    const { code, stderr } = await project.api(['import', 'posts', 'long.csv'])
    expect(stderr).toContain('long.csv, line 2: a line is longer than 16 MB')
    expect(code).toBe(2)
  })

  it('reports a folder where the progress cannot be stored', async () => {
    project.write('stuck.csv', 'title\nOne\n')
    mkdirSync(join(project.root, 'stuck.csv.import.json'))
    const { code, stderr } = await project.api(['import', 'posts', 'stuck.csv', '--restart'])
    expect(stderr).toContain('stuck.csv.import.json cannot be written')
    expect(code).toBe(1)
  })

  it('prints no escape sequence of data, and does not let members of prototypes in', async () => {
    project.write('data.ndjson', '{"title":"\\u001b[31mred","extra":1,"__proto__":{"x":1}}\n')
    const { code, stdout } = await project.api(['import', 'posts', 'data.ndjson'])
    expect(stdout).toContain('__proto__ is not allowed as a name  (line 1)')
    expect(stdout).not.toContain('\u001B')
    expect(code).toBe(1)
  })
})
