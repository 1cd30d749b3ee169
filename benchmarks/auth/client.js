// @ts-check
// The service under measurement, and the calls of its clients.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { request } from 'node:http'
import { fileURLToPath } from 'node:url'

export const password = 'TestRiver42!'

/** @typedef {import('node:http').Agent} Agent */

/**
 * @typedef {object} Service
 * @property {(agent: Agent | undefined, route: string, body: object) => Promise<Answer>} post -
 *   calls a route of authentication
 * @property {(agent: Agent) => Promise<Answer>} live - asks for the health of the process
 * @property {(email: string) => Promise<{ refreshToken: string }>} register - makes a user
 */

/** @typedef {{ status: number, text: string }} Answer */

/**
 * Runs a measurement on a service of its own.
 * @template Result
 * @param {{ hideRegistered?: boolean }} options
 * @param {(service: Service) => Promise<Result>} measure
 * @returns {Promise<Result>}
 */
export async function withService(options, measure) {
  // Its log goes nowhere, as in a service whose log is collected elsewhere.
  const stdio = /** @type {const} */ (['ignore', 'ignore', 'inherit', 'ipc'])
  const file = fileURLToPath(new URL('server.js', import.meta.url))
  const server = fork(file, [JSON.stringify(options)], { stdio: [...stdio] })
  const [{ url }] = await once(server, 'message')
  try {
    return await measure(createService(url))
  } finally {
    server.disconnect()
    await once(server, 'exit')
  }
}

/**
 * @param {string} url
 * @returns {Service}
 */
function createService(url) {
  /** @type {Service['post']} */
  const post = (agent, route, body) =>
    send(url + `/api/v1/auth/${route}`, { agent, method: 'POST' }, JSON.stringify(body))
  return {
    post,
    live: (agent) => send(`${url}/health/live`, { agent, method: 'GET' }),
    async register(email) {
      const { status, text } = await post(undefined, 'register', { email, password })
      if (status !== 201) throw new Error(`register answered ${status}`)
      return JSON.parse(text).data
    },
  }
}

/**
 * @param {string} url
 * @param {{ agent: Agent | undefined, method: string }} options
 * @param {string} [body]
 * @returns {Promise<Answer>}
 */
function send(url, { agent, method }, body) {
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'Content-Type': 'application/json' }
    const call = request(url, { ...(agent && { agent }), method, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }))
    })
    call.on('error', reject)
    call.end(body)
  })
}
