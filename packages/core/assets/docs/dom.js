// @ts-check

/** @typedef {Record<string, any>} Json */

/**
 * Creates an element.
 *
 * @param {string} name
 * @param {Json} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElement}
 */
export function element(name, properties = {}, ...children) {
  const created = Object.assign(document.createElement(name), properties)
  created.append(...children)
  return created
}

/**
 * Finds an element of the page.
 *
 * @param {string} id
 * @returns {HTMLElement}
 */
export function byId(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`The page has no #${id}.`)
  return found
}
