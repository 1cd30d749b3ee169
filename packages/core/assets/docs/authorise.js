// @ts-check
import { byId } from './dom.js'
import { session } from './request.js'

/**
 * Sends a token with every request from now on.
 *
 * @param {string} token empty for none
 */
export function authorise(token) {
  session.token = token
  const field = byId('token')
  if (field instanceof HTMLInputElement) field.value = token
  byId('authorised').textContent = token === '' ? 'No token is sent.' : 'The token is sent.'
}

/** Lets the form of the page say which token is sent. */
export function listenForToken() {
  byId('authorise').addEventListener('submit', (event) => {
    event.preventDefault()
    const field = byId('token')
    // Pasted with the word of the header before it, or without.
    if (field instanceof HTMLInputElement) authorise(field.value.trim().replace(/^\w+\s+/, ''))
  })
}
