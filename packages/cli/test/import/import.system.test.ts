import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { createImportProject, type ImportProject } from './import-project.ts'

const fields = [
  'title:string',
  'code:string?:unique',
  'views:int:default=0',
  'price:decimal?',
  'live:boolean?',
  'at:date?',
  'due:day?',
  'tags:string[]?',
  'extra:object?',
  'address.city:string?',
]
let project: ImportProject

beforeEach(async () => {
  project = await createImportProject(['posts', ...fields])
})

function read(name: string): string {
  return readFileSync(join(project.root, name), 'utf8')
}

describe('api import', () => {
  it('creates a document for each line, with values of the types of its fields', async () => {
    project.write(
      'posts.csv',
      [
        'title,views,price,live,at,due,tags,extra,address.city',
        'One,1,12.50,yes,2026-01-31,2026-01-31,"a, b","{""note"":""x""}",Graz',
        '"Two\r\nlines",,,,,,,,',
      ].join('\r\n'),
    )
    const { code, stderr, stdout } = await project.api(['import', 'posts', 'posts.csv'])
    expect(stdout).toBe('\n  created    2 documents\n\n')
    expect(stderr).toBe('  import   POST /api/posts, database embedded:.data\n')
    expect(code).toBe(0)
    expect(await project.list('/api/posts')).toMatchObject([
      {
        title: 'One',
        views: 1,
        price: '12.50',
        live: true,
        at: '2026-01-31T00:00:00.000Z',
        due: '2026-01-31',
        tags: ['a', 'b'],
        extra: { note: 'x' },
        address: { city: 'Graz' },
      },
      { title: 'Two\r\nlines', views: 0, tags: [], address: {} },
    ])
  })

  it('finds fields by similar names, and says so', async () => {
    project.write('posts.csv', 'Title;Address City;createdAt\nOne;Graz;yesterday\n')
    const { code, stderr } = await project.api(['import', 'posts', 'posts.csv'])
    expect(stderr).toContain('note: the columns are separated by a semicolon')
    expect(stderr).toContain(
      'note: columns by similar names: Title → title, Address City → address.city',
    )
    expect(stderr).toContain('note: left out, because the service sets them: createdAt')
    expect(code).toBe(0)
    expect(await project.list('/api/posts')).toMatchObject([{ address: { city: 'Graz' } }])
  })

  it('maps columns by options and by a file', async () => {
    project.write('posts.csv', 'Name,Visits,Internal\nOne,,x\nTwo,2,y\n')
    project.write('map.json', '{"columns":{"Visits":"views"},"defaults":{"views":7}}')
    const mapping = ['--map', 'Name=title', '--map', 'map.json', '--ignore', 'Internal']
    const flags = [...mapping, '--set', 'tags=a,b', '--set', 'address.city=Graz', '--json']
    const { stdout } = await project.api(['import', 'posts', 'posts.csv', ...flags])
    expect(JSON.parse(stdout)).toEqual({
      ok: true,
      command: 'import',
      dryRun: false,
      resource: '/api/posts',
      file: 'posts.csv',
      database: 'embedded:.data',
      columns: { Name: 'title', Visits: 'views' },
      finished: true,
      read: 2,
      total: 2,
      created: 2,
      rejected: 0,
      continuedAfter: 0,
      causes: [],
      warnings: [],
    })
    const both = { tags: ['a', 'b'], address: { city: 'Graz' } }
    const documents = await project.list('/api/posts')
    expect(documents).toMatchObject([
      { title: 'One', views: 7, ...both },
      { title: 'Two', views: 2, ...both },
    ])
  })

  it('writes rejected lines to a file that can be corrected and imported', async () => {
    project.write('posts.csv', 'title,code,views\nOne,a,1\n=1+1,b,x\nOne,a,1\n,c,3\nThree,d\n')
    const first = await project.api(['import', 'posts', 'posts.csv'])
    expect(first.code).toBe(1)
    expect(first.stdout).toContain('created    1 document\n  rejected   4 lines\n')
    expect(first.stdout).toContain('    1  views must be a number  (line 3)\n')
    expect(first.stdout).toContain('    1  title is required  (line 5)\n')
    expect(first.stdout).toContain('    1  has 2 cells instead of 3  (line 6)\n')
    expect(first.stdout).toMatch(/ {4}1 {2}code is already in use {2}\(line [24]\)\n/)
    const [head = '', ...lines] = read('posts.rejected.csv').trimEnd().split('\r\n')
    expect(head).toBe('\uFEFFtitle,code,views,_line,_reason')
    expect(lines).toContain("'=1+1,b,x,3,views must be a number")
    const corrected = [head, "'=1+1,b,5,3,views must be a number", 'Two,e,2,4,', 'Four,c,3,5,']
    project.write('posts.rejected.csv', corrected.join('\r\n'))
    const second = await project.api(['import', 'posts', 'posts.rejected.csv'])
    expect(second.code).toBe(0)
    const documents = await project.list('/api/posts')
    expect(documents.map(({ title, views }) => [title, views])).toEqual([
      ['One', 1],
      ['=1+1', 5],
      ['Two', 2],
      ['Four', 3],
    ])
  })

  it('keeps apostrophes before formulas, and protects the file of rejected lines', async () => {
    project.write('posts.csv', "title,views\n'=1,1\n'=2,x\n")
    const flags = ['--keep-apostrophes', '--delimiter', 'comma']
    await project.api(['import', 'posts', 'posts.csv', ...flags])
    project.write('posts.rejected.csv', read('posts.rejected.csv').replace(',x,', ',2,'))
    expect(read('posts.rejected.csv')).toContain("\n''=2,2,3,")
    expect((await project.api(['import', 'posts', 'posts.rejected.csv', ...flags])).code).toBe(0)
    const titles = (await project.list('/api/posts')).map(({ title }) => title)
    expect(titles).toEqual(["'=1", "'=2"])
  })

  it('imports a file once, unless --restart is given', async () => {
    project.write('posts.csv', 'title\nOne\n')
    await project.api(['import', 'posts', 'posts.csv'])
    const again = await project.api(['import', 'posts', 'posts.csv'])
    expect(again.stdout).toContain('unchanged  the file was imported: 1 document, 0 rejected')
    expect(again.code).toBe(0)
    project.write('posts.csv', 'title\nOne\nTwo\n')
    const changed = await project.api(['import', 'posts', 'posts.csv', '--set', 'views=1'])
    expect(changed.stderr).toContain(
      'an import of this file has created 1 documents; since then, the file, an option changed',
    )
    expect(changed.code).toBe(3)
    const restarted = await project.api(['import', 'posts', 'posts.csv', '--restart'])
    expect(restarted.code).toBe(0)
    expect(await project.list('/api/posts')).toHaveLength(3)
  })

  it('checks every line without creating anything', async () => {
    project.write('posts.csv', 'title,views\nOne,1\nTwo,x\n')
    const { code, stderr, stdout } = await project.api(['import', 'posts', 'posts.csv', '-n'])
    expect(code).toBe(1)
    expect(stdout).toContain('POST /api/posts {"address":{},"title":"One","views":1}')
    expect(stdout).toContain('accepted   1 of 2 lines\n  rejected   1 line\n')
    expect(stderr).toContain('nothing was created')
    expect(existsSync(join(project.root, 'posts.csv.import.json'))).toBe(false)
    expect(existsSync(join(project.root, 'posts.rejected.csv'))).toBe(false)
    expect(await project.list('/api/posts')).toEqual([])
  })

  it('reads NDJSON, a JSON array and standard input', async () => {
    const lines = [
      '{"title":"One","id":"x","address":{"city":"Graz"}}',
      'nope',
      '',
      '[]',
      '{"titel":1}',
    ]
    project.write('posts.ndjson', lines.join('\n'))
    const first = await project.api(['import', 'posts', 'posts.ndjson', '--set', 'views=3'])
    expect(first.stdout).toContain('created    1 document\n  rejected   3 lines')
    expect(first.stdout).toMatch(/is not JSON: .* \(line 2\)/)
    expect(first.stdout).toContain('is not a JSON object  (line 4)')
    expect(JSON.parse(read('posts.rejected.ndjson').split('\n')[2] ?? '')).toMatchObject({
      titel: 1,
      _line: 5,
      _reason: expect.stringContaining('titel is not allowed'),
    })
    project.write('more.json', '[\n{"title":"Two, [}\\"","address":{}},\n\n {"title":"Three"}]\n')
    const second = await project.api(['import', 'posts', 'more.json'])
    expect(second.stdout).toContain('created    1 document\n  rejected   1 line')
    expect(second.stdout).toContain('address is required  (line 4)')
    const third = await project.api(['import', 'posts', '-', '--format', 'csv'], 'title\nFour\n')
    expect(third.code).toBe(0)
    const documents = await project.list('/api/posts')
    expect(documents.map(({ title }) => title)).toEqual(['One', 'Two, [}"', 'Four'])
  })

  it('stops after too many rejected lines, and continues', async () => {
    const lines = Array.from({ length: 500 }, (_, index) => (index < 250 ? 'x' : String(index)))
    project.write('posts.csv', ['title,views', ...lines.map((views) => `T,${views}`)].join('\n'))
    const first = await project.api(['import', 'posts', 'posts.csv', '--max-errors', '10'])
    expect(first.code).toBe(1)
    expect(first.stdout).toContain('created    0 documents\n  rejected   200 lines')
    expect(first.stderr).toContain(
      'stopped after 200 lines; to continue, run the same command again',
    )
    const second = await project.api(['import', 'posts', 'posts.csv'])
    expect(second.stdout).toContain('created    250 documents, after 0 of an earlier run')
    expect(second.stdout).toContain('rejected   250 lines')
    expect(read('posts.rejected.csv').trimEnd().split('\r\n')).toHaveLength(251)
  })
})
