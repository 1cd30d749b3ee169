// The bytes that begin a file of a type; null is any byte.
type Signature = readonly (number | null)[]

const any = [null, null, null, null] as const

const signatures: ReadonlyMap<string, readonly Signature[]> = new Map(
  Object.entries<readonly Signature[]>({
    // PNG (W3C), section 5.2.
    'image/png': [[0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
    // JPEG: start of image, then a marker.
    'image/jpeg': [[0xff, 0xd8, 0xff]],
    'image/gif': [toBytes('GIF87a'), toBytes('GIF89a')],
    // RFC 9649 section 2.4.
    'image/webp': [[...toBytes('RIFF'), ...any, ...toBytes('WEBP')]],
    // ISO 14496-12: a `ftyp` box with the brand of AVIF.
    'image/avif': [
      [...any, ...toBytes('ftypavif')],
      [...any, ...toBytes('ftypavis')],
    ],
    'application/pdf': [toBytes('%PDF-')],
  }),
)

/** Number of bytes that the longest signature has. */
export const signatureBytes = 12

// Whether the content begins as a file of the type does; false for a type without a known signature.
export function hasSignature(head: Uint8Array, type: string): boolean {
  return (signatures.get(type) ?? []).some((signature) =>
    signature.every((byte, index) => byte === null || head[index] === byte),
  )
}

export function requireCheckable(name: string, types: readonly string[] | undefined): void {
  const known = [...signatures.keys()]
  const unknown = (types ?? ['*/*']).find((type) => type !== 'image/*' && !known.includes(type))
  if (unknown === undefined) return
  throw new TypeError(
    `checkContent of ${name} cannot check ${unknown}. It knows ${known.join(', ')}: list some of them in types.`,
  )
}

function toBytes(text: string): number[] {
  return [...Buffer.from(text, 'latin1')]
}
