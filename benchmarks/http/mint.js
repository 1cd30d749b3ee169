// Prints access tokens that a contender takes: node mint.js <contender> [how many]
import { createSecretKey, hkdfSync, randomBytes } from 'node:crypto'
import jsonwebtoken from 'jsonwebtoken'
import { contenders, databaseContenders } from './contenders.js'
import { secret, user } from './fixtures.js'

const [name, count = '1'] = process.argv.slice(2)
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

// The same claims under other ids: of one session, so that no login is needed for each.
function makeOthers() {
  const { header, payload } = jsonwebtoken.decode(token, { complete: true })
  const key = createSecretKey(ours ? deriveKey() : Buffer.from(secret))
  return Array.from({ length: Number(count) - 1 }, () => {
    const jti = randomBytes(16).toString('base64url')
    return jsonwebtoken.sign({ ...payload, jti }, key, { algorithm: 'HS256', header })
  })
}

// As the framework derives it from the secret; a wrong one would be refused before measuring.
function deriveKey() {
  return Buffer.from(hkdfSync('sha256', secret, 'create-api', 'auth access v1', 32))
}
