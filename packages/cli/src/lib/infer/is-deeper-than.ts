// Whether objects and lists are nested more deeply. Without recursion, which a value could exhaust.
export function isDeeperThan(levels: number, value: unknown): boolean {
  let layer = [value].filter(isNested)
  for (let level = 0; level < levels && layer.length > 0; level += 1) {
    layer = layer.flatMap((one) => Object.values(one)).filter(isNested)
  }
  return layer.length > 0
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
