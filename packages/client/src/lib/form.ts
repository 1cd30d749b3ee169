/**
 * Makes a form of an object: files and lists of files as they are, other values as text.
 * @param body - the object, or a form, which is returned as it is
 * @returns the form
 */
export function form(body: unknown): FormData {
  if (body instanceof FormData) return body
  const result = new FormData()
  for (const [name, value] of Object.entries(Object(body))) {
    for (const part of Array.isArray(value) ? value : [value]) {
      if (part !== undefined) result.append(name, part instanceof Blob ? part : String(part))
    }
  }
  return result
}
