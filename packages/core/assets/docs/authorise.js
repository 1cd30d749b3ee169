// @ts-check
import { byId } from './dom.js'
import { session } from './request.js'

/**
 * Sets the token that is sent with every request.
 *
 * @param {string} token empty for none
 */
export function authorise(token) {
  session.token = token
  const field = byId('token')
  if (field instanceof HTMLInputElement) field.value = token
  byId('authorised').textContent = token === '' ? 'No token is sent.' : 'The token is sent.'
}

/** Connects the token form of the page. */
export function listenForToken() {
  byId('authorise').addEventListener('submit', (event) => {
    event.preventDefault()
    const field = byId('token')
    // The token may be pasted with the scheme of the header before it.
    if (field instanceof HTMLInputElement) authorise(field.value.trim().replace(/^\w+\s+/, ''))
  })
}
