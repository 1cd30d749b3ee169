import { applyEdits, type JSONPath, modify, parse } from 'jsonc-parser'

export interface JsonValue {
  readonly path: JSONPath
  readonly value: unknown
}

// Sets values of a JSON file and keeps its layout. Keys of an object whose keys are sorted stay sorted.
export function setValues(text: string, values: readonly JsonValue[]): string {
  const formattingOptions = readLayout(text)
  return values.reduce((current, { path, value }) => {
    const parent: unknown = path
      .slice(0, -1)
      .reduce<unknown>((object, key) => Object(object)[key], parse(current))
    const key = String(path.at(-1))
    const edits = modify(current, path, value, {
      formattingOptions,
      getInsertionIndex: (present) =>
        isSorted(present) && parent !== undefined && path.length > 1
          ? present.filter((one) => one < key).length
          : present.length,
    })
    return applyEdits(current, edits)
  }, text)
}

function isSorted(keys: readonly string[]): boolean {
  return keys.every((key, index) => index === 0 || (keys[index - 1] ?? '') <= key)
}

function readLayout(text: string) {
  const indent = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  const isTab = indent.includes('\t')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  return { insertSpaces: !isTab, tabSize: isTab ? 1 : indent.length, eol }
}
