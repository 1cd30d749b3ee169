// Prints access tokens that a contender takes: node mint.js <contender> [how many] [sessions]
// With `sessions`, each but the first is of another session, which does not exist yet.
import { createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { contenders, databaseContenders } from './contenders.js'
import { secret, user } from './fixtures.js'

const [name, count = '1', sessions] = process.argv.slice(2)
const { ours, file, options } = { ...contenders, ...databaseContenders }[name]
const token = ours ? await register() : sign()
process.send({ tokens: [token, ...makeOthers()] }, () => process.disconnect())

// Ours come from its own registration, because they belong to a session.
async function register() {
  const { register: registerUser } = await import(`./contenders/${file}.js`)
  return registerUser({ ...options })
}

function sign() {
  const claims = { sub: user.id, email: user.email, roles: user.roles }
  return jsonwebtoken.sign(claims, secret, { algorithm: 'HS256', expiresIn: 3600 })
}

// The same claims under other ids, so that no login is needed for each.
function makeOthers() {
  const { header, payload } = jsonwebtoken.decode(token, { complete: true })
  const key = createSecretKey(ours ? deriveKey() : Buffer.from(secret))
  return Array.from({ length: Number(count) - 1 }, () => {
    const jti = randomBytes(16).toString('base64url')
    const sid = sessions ? randomBytes(12).toString('hex') : payload.sid
    return jsonwebtoken.sign({ ...payload, jti, sid }, key, { algorithm: 'HS256', header })
  })
}

// As the framework derives it from the secret; a wrong one would be refused before measuring.
function deriveKey() {
  return Buffer.from(hkdfSync('sha256', secret, 'create-api', 'auth access v1', 32))
}
