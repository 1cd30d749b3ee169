/**
 * Whether `Accept` allows a media type (RFC 9110 section 12.5.1): of the ranges that cover it the
 * closest decides, and a weight of 0 excludes. Other parameters are not looked at, because clients
 * send `application/json; charset=utf-8` and mean JSON.
 * @param accept - the header field
 * @param mediaType - what can be sent
 * @returns true when it can be sent; also for an empty field
 */
export function allowsMediaType(accept: string, mediaType: string): boolean {
  if (accept.trim() === '') return true
  const weights = new Map<string, number>()
  for (const part of accept.toLowerCase().split(',')) {
    const [range = '', ...parameters] = part.split(';').map((text) => text.trim())
    weights.set(range, Math.max(toWeight(parameters), weights.get(range) ?? 0))
  }
  const exact = mediaType.toLowerCase()
  const closest = [exact, exact.replace(/\/.*/, '/*'), '*/*'].find((range) => weights.has(range))
  return closest !== undefined && weights.get(closest) !== 0
}

function toWeight(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  return weight === undefined ? 1 : Number.parseFloat(weight.slice(2)) || 0
}
