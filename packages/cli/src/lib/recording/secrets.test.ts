import { describe, expect, it } from 'vitest'
import { measureGrowth } from '../../../../../test/measure-growth.ts'
import { toBody } from './bodies.ts'
import { matchPlaceholders } from './placeholders.ts'
import { type Headers } from './recording.ts'
import { createMasker } from './secrets.ts'

const secret = 'S3cr3t-Value'

function maskBody(type: string, body: string | Buffer): string {
  const headers: Headers = [['Content-Type', type]]
  const masked = toBody(Buffer.from(body), headers, createMasker([]))
  if (masked && 'base64' in masked) return Buffer.from(masked.base64, 'base64').toString('latin1')
  return JSON.stringify(masked)
}

describe('createMasker', () => {
  it.each(
    `password PASSWORD Password newPassword new_password userpassword passwd pwd PINCode JWTToken accessToken
    access_token accesstoken refreshtoken IDToken tokens client-secret clientsecret APIKey api_key apikey
    privateKey secretKey sessionId sessionid otp totp cvv cardNumber creditCard recoveryCodes signature pass`
      .trim()
      .split(/\s+/),
  )('masks the member %s', (name) => {
    const json = createMasker([]).json({ list: [{ [name]: { value: [secret] } }] })
    expect(JSON.stringify(json)).not.toContain(secret)
  })

  it.each(
    'tokenType passwordChangedAt secretary spinner passenger pineapple code key keyboard author compass'.split(
      ' ',
    ),
  )('keeps the member %s', (name) => {
    expect(createMasker([]).json({ [name]: secret })).toEqual({ [name]: secret })
  })

  it('keeps numbers of tokens', () => {
    expect(createMasker([]).json({ totalTokens: 15, token: 123_456 })).toEqual({
      totalTokens: 15,
      token: '{{#token_1}}',
    })
  })

  it.each<[string, string]>([
    ['Authorization', secret],
    ['AUTHORIZATION', `Token ${secret}`],
    ['Proxy-Authorization', `Digest username="ada", response="${secret}"`],
    ['X-Api-Key', secret],
    ['x-auth-token', secret],
    ['Cookie', `a=1; sid=${secret}`],
    ['Cookie', secret],
    ['Cookie', `a b=${secret}`],
    ['Set-Cookie', `${secret}; Path=/`],
    ['Set-Cookie', `sid="${secret}"; Path=/`],
    ['Location', `/done?access_token=${secret}`],
    ['Location', `/done#access_token=${secret}`],
    ['Location', `https://ada:${secret}@example.com/`],
    ['Location', `/login?next=${encodeURIComponent(`/reset?token=${secret}`)}`],
    ['Content-Location', `/done?token=${secret}`],
    ['Refresh', `0; url=/done?token=${secret}`],
    ['X-Next', 'id-eyJhbGciOi.eyJzdWIi.c2lnbmF0'],
    ['Link', `</next?token=${secret}>; rel="next"`],
  ])('masks the header %s: %s', (name, value) => {
    const [[, masked] = ['', '']] = createMasker([]).headers([[name, value]])
    expect(masked).not.toContain(secret)
    expect(masked).not.toContain('eyJ')
    expect(masked).toMatch(/\{\{/)
  })

  it('keeps headers that are not secrets', () => {
    const headers = [
      ['Access-Control-Allow-Credentials', 'true'],
      ['Set-Cookie', 'sid=; Max-Age=0'],
      ['Content-Type', 'application/json; charset=utf-8'],
    ] as const
    expect(createMasker([]).headers(headers)).toEqual(headers)
  })

  it.each([
    ['application/json', `{"url":"https://example.com/reset?token=${secret}"}`],
    ['application/json', `{"query":"mutation { login(password: \\"${secret}\\") { id } }"}`],
    ['application/json', JSON.stringify({ payload: JSON.stringify({ password: secret }) })],
    ['application/json', `{"password":"${secret}",}`],
    ['application/json', `{"database":"mongodb://ada:${secret}@localhost/x"}`],
    ['application/json', Buffer.from(`{"password":"${secret}","name":"\u00E9"}`, 'latin1')],
    ['application/x-ndjson', `{"password":"${secret}"}\n{"password":"${secret}"}\n`],
    ['text/plain', `{"accessToken": "${secret}"}`],
    ['text/html', `<script>window.csrfToken = '${secret}'</script>`],
    ['text/xml', `<s:login><s:password type="text">${secret}</s:password></s:login>`],
    ['application/x-www-form-urlencoded', `user=ada&user[password]=${secret}`],
    ['application/x-www-form-urlencoded', `USER_PASSWORD=${secret}`],
    ['application/x-www-form-urlencoded', `payload=%7B%22token%22%3A%22${secret}%22%7D`],
    ['application/x-www-form-urlencoded', Buffer.from(`n=\u00E9&password=${secret}`, 'latin1')],
    [
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name=password\r\n\r\n${secret}\r\n--x--`,
    ],
    [
      'multipart/form-data; boundary=x',
      `--x\r\nContent-Disposition: form-data; name="data"\r\n\r\n{"password":"${secret}"}\r\n--x--`,
    ],
  ])('masks a body of type %s: %s', (type, body) => {
    const masked = maskBody(type, body)
    expect(masked).not.toContain(secret)
    expect(masked).toMatch(/\{\{\w+_1\}\}/)
  })

  it('keeps the names of fields, and its own placeholders, if a password is a common word', () => {
    const { form, json, text } = createMasker([])
    expect(form('password=password&note=a password')).toBe(
      'password={{password_1}}&note=a password',
    )
    json({ newPassword: 'new_password_1' })
    expect(json({ newPassword: 'new-secret' })).toEqual({ newPassword: '{{new_password_2}}' })
    expect(text('new-secret and new_password_1')).toBe('{{new_password_2}} and {{new_password_1}}')
  })

  it('masks the longer of two secrets that begin alike', () => {
    const { json, text } = createMasker([])
    json({ password: 'correct horse' })
    json({ password: 'correct horse battery' })
    expect(text('wrong: correct horse battery')).toBe('wrong: {{password_2}}')
  })

  it.each([
    ['names', 'a'.repeat(80)],
    ['quotes', 'a:"'],
    ['escapes', 'a:"\\'],
    ['spaces', 'a                '],
    ['capitals', 'A'],
    ['elements', '<a '],
    ['web tokens', '-eyJaaaaa'],
    ['web tokens with points', 'eyJaaaaa.'],
    ['users', '://a:'],
    ['queries', '?a=&'],
  ])('masks %s in time that grows with their length', async (_, part) => {
    const mask = (length: number): void => {
      const text = part.repeat(length / part.length)
      createMasker([]).text(text)
      createMasker([]).json({ [text]: text })
    }
    expect(await measureGrowth(mask, 250_000)).toBeLessThan(10)
  })
})

describe('matchPlaceholders', () => {
  it('returns the values of the placeholders, decoded in a query', () => {
    const recorded = '<a href="/x?token={{token_1}}">{{pin_1}}</a>'
    const live = '<a href="/x?token=a%2Bb">12</a>'
    expect(matchPlaceholders(recorded, live)).toEqual(['a+b', '12'])
    expect(matchPlaceholders('a{{x_1}}b', 'ab')).toBeUndefined()
    expect(matchPlaceholders('a{{x_1}}b', 'axc')).toBeUndefined()
    expect(matchPlaceholders('a{{x_1}}b{{x_2}}b', 'axbyb')).toEqual(['x', 'y'])
    expect(matchPlaceholders('a', 'a')).toEqual([])
    expect(matchPlaceholders('a', 'b')).toBeUndefined()
  })

  it('compares a text that has many placeholders in time that grows with its length', async () => {
    const recorded = `${'{{csrf_token_1}}\n'.repeat(20)}end`
    const match = (lines: number): void => {
      expect(matchPlaceholders(recorded, 'x\n'.repeat(lines))).toBeUndefined()
    }
    expect(await measureGrowth(match, 100_000)).toBeLessThan(10)
  })
})
