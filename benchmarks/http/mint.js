// Prints the access token that a contender takes: node mint.js <contender>
import jsonwebtoken from 'jsonwebtoken'
import { contenders } from './contenders.js'
import { secret, user } from './fixtures.js'

const { ours, options } = contenders[process.argv[2]]
process.send({ token: ours ? await register() : sign() })
process.disconnect()

// Ours come from its own registration, because they belong to a session.
async function register() {
  const { register: registerUser } = await import('./contenders/ours.js')
  return registerUser({ ...options })
}

function sign() {
  const claims = { sub: user.id, email: user.email, role: user.role }
  return jsonwebtoken.sign(claims, secret, { algorithm: 'HS256', expiresIn: 3600 })
}
