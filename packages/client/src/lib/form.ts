/**
 * Converts an object to a form. Files and lists of files stay as they are, other values become text.
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
