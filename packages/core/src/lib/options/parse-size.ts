const bytesPerUnit: ReadonlyMap<string, number> = new Map(
  Object.entries<number>({
    '': 1,
    b: 1,
    kb: 1024,
    mb: 1024 ** 2,
    gb: 1024 ** 3,
  }),
)

// Bytes of `100kb`, `1mb` or a number, at least 1. Units are powers of 1024.
export function parseSize(value: unknown, name = 'size'): number {
  const [, digits = '', unit = ''] = /^(\d{1,15})(b|kb|mb|gb)?$/i.exec(String(value)) ?? []
  const bytes = Number(digits) * (bytesPerUnit.get(unit.toLowerCase()) ?? 1)
  if (digits !== '' && Number.isSafeInteger(bytes) && bytes > 0) return bytes
  throw new TypeError(`${name} must be a size such as 102400, 100kb or 1mb.`)
}
