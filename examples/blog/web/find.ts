/** The element of a page that a selector names. */
export function find<Kind extends Element>(selector: string, kind: new () => Kind): Kind {
  const element = document.querySelector(selector)
  if (!(element instanceof kind)) throw new Error(`${selector} is missing.`)
  return element
}
