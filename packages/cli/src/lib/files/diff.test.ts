import { describe, expect, it } from 'vitest'
import { countDifferences, formatDiff } from './diff.ts'

describe('formatDiff', () => {
  it('shows changed lines with three lines around them', () => {
    const before = '1\n2\n3\n4\n5\n6\n7\n8\n9\n'
    expect(formatDiff('a.ts', before, before.replace('5\n', 'five\n'))).toEqual([
      '--- a/a.ts',
      '+++ b/a.ts',
      '@@ -2,7 +2,7 @@',
      ' 2',
      ' 3',
      ' 4',
      '-5',
      '+five',
      ' 6',
      ' 7',
      ' 8',
    ])
  })

  it('separates changes that are far apart', () => {
    const before = Array.from({ length: 30 }, (_, index) => `${index}\n`).join('')
    const after = before.replace('2\n', 'two\n').replace('\n25\n', '\n')
    const diff = formatDiff('a.ts', before, after)
    expect(diff.filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -1,6 +1,6 @@',
      '@@ -23,7 +23,6 @@',
    ])
  })

  it('is empty for equal texts and whole for a new file', () => {
    expect(formatDiff('a.ts', 'x\n', 'x\n')).toEqual([])
    expect(formatDiff('a.ts', '', 'x\ny\n').slice(2)).toEqual(['@@ -1,0 +1,2 @@', '+x', '+y'])
  })
})

describe('countDifferences', () => {
  it('counts lines added and removed', () => {
    expect(countDifferences('a\nb\nc\n', 'a\nx\ny\nc\n')).toEqual({ added: 2, removed: 1 })
  })
})
