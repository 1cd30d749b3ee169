import { blank, missing, password, refuse, register, type Step } from './steps.ts'

export const users: Step[] = [
  {
    title: 'register',
    send: 'POST /users',
    body: { user: { username: 'ann_{run}', email: 'ann_{run}@example.org', password } },
    status: 201,
    shape: 'user',
    matches: {
      user: { username: 'ann_{run}', email: 'ann_{run}@example.org', bio: null, image: null },
    },
  },
  {
    title: 'log in',
    send: 'POST /users/login',
    body: { user: { email: 'ann_{run}@example.org', password } },
    status: 200,
    shape: 'user',
    matches: { user: { username: 'ann_{run}', bio: null, image: null } },
    save: { ann: 'user.token' },
  },
  {
    title: 'read the current user',
    send: 'GET /user',
    as: 'ann',
    status: 200,
    shape: 'user',
    matches: { user: { username: 'ann_{run}', email: 'ann_{run}@example.org' } },
  },
  {
    title: 'change the biography',
    send: 'PUT /user',
    as: 'ann',
    body: { user: { bio: 'I write' } },
    status: 200,
    shape: 'user',
    matches: { user: { username: 'ann_{run}', bio: 'I write', image: null } },
  },
  {
    title: 'change the picture, and keep the biography',
    send: 'PUT /user',
    as: 'ann',
    body: { user: { image: 'https://example.org/ann.png' } },
    status: 200,
    shape: 'user',
    matches: { user: { bio: 'I write', image: 'https://example.org/ann.png' } },
  },
  {
    title: 'use the token of before the changes',
    send: 'GET /user',
    as: 'ann',
    status: 200,
    shape: 'user',
    matches: { user: { bio: 'I write', image: 'https://example.org/ann.png' } },
  },
  {
    title: 'remove the biography by empty text',
    send: 'PUT /user',
    as: 'ann',
    body: { user: { bio: '' } },
    status: 200,
    shape: 'user',
    matches: { user: { bio: null, image: 'https://example.org/ann.png' } },
  },
  {
    title: 'remove the picture by empty text',
    send: 'PUT /user',
    as: 'ann',
    body: { user: { image: '' } },
    status: 200,
    shape: 'user',
    matches: { user: { image: null } },
  },
  {
    title: 'set both to null',
    send: 'PUT /user',
    as: 'ann',
    body: { user: { bio: null, image: null } },
    status: 200,
    shape: 'user',
    matches: { user: { bio: null, image: null } },
  },
  {
    title: 'change name and address',
    send: 'PUT /user',
    as: 'ann',
    body: { user: { username: 'eve_{run}', email: 'eve_{run}@example.org' } },
    status: 200,
    shape: 'user',
    matches: { user: { username: 'eve_{run}', email: 'eve_{run}@example.org' } },
  },
  {
    title: 'change the password to one of 64 characters',
    send: 'PUT /user',
    as: 'ann',
    body: { user: { password: 'p'.repeat(64) } },
    status: 200,
    shape: 'user',
    matches: { user: { username: 'eve_{run}' } },
    save: { eve: 'user.token' },
  },
  {
    title: 'use the token of the change',
    send: 'GET /user',
    as: 'eve',
    status: 200,
    shape: 'user',
    matches: { user: { username: 'eve_{run}' } },
  },
  {
    title: 'log in with the new address and password',
    send: 'POST /users/login',
    body: { user: { email: 'eve_{run}@example.org', password: 'p'.repeat(64) } },
    status: 200,
    shape: 'user',
    matches: { user: { username: 'eve_{run}' } },
  },
]

const newUser = { username: 'cy_{run}', email: 'cy_{run}@example.org', password }

function refuseUser(status: number, errors: object, changes: object): Step {
  return refuse(status, errors, { send: 'POST /users', body: { user: { ...newUser, ...changes } } })
}

function refuseChange(changes: object): Step {
  return refuse(422, undefined, { send: 'PUT /user', as: 'ben', body: { user: changes } })
}

function refuseLogin(status: number, errors: object, changes: object): Step {
  const user = { email: 'ben_{run}@example.org', password, ...changes }
  return refuse(status, errors, { send: 'POST /users/login', body: { user } })
}

export const userErrors: Step[] = [
  refuseUser(422, { username: blank }, { username: '' }),
  refuseUser(422, { email: blank }, { email: '' }),
  refuseUser(422, { password: blank }, { password: '' }),
  register('ben'),
  register('dan'),
  refuseUser(409, { username: ['has already been taken'] }, { username: 'ben_{run}' }),
  refuseUser(409, { email: ['has already been taken'] }, { email: 'ben_{run}@example.org' }),
  refuseLogin(422, { email: blank }, { email: '' }),
  refuseLogin(422, { password: blank }, { password: '' }),
  refuseLogin(401, { credentials: ['invalid'] }, { password: 'wrong password' }),
  refuseLogin(401, { credentials: ['invalid'] }, { email: 'nobody_{run}@example.org' }),
  refuse(401, missing, { send: 'GET /user' }),
  refuse(401, missing, { send: 'PUT /user', body: { user: { bio: 'Anonymous' } } }),
  refuse(401, undefined, { send: 'GET /user', as: 'invalid' }),
  refuseChange({ email: '' }),
  refuseChange({ username: '' }),
  refuseChange({ email: null }),
  refuseChange({ username: null }),
  refuseChange({ email: 'no address' }),
  refuseChange({ password: '' }),
  refuseChange({ password: null }),
  refuseChange({ password: 'short 7' }),
  refuse(
    409,
    { username: ['has already been taken'] },
    { send: 'PUT /user', as: 'ben', body: { user: { username: 'dan_{run}' } } },
  ),
  {
    title: 'is as before',
    send: 'GET /user',
    as: 'ben',
    status: 200,
    shape: 'user',
    matches: { user: { username: 'ben_{run}', email: 'ben_{run}@example.org' } },
  },
]

function showProfile(as: string | undefined, following: boolean): Step {
  return {
    title: `shows ${as ?? 'anybody'} a profile that is ${following ? '' : 'not '}followed`,
    send: 'GET /profiles/bob_{run}',
    ...(as !== undefined && { as }),
    status: 200,
    shape: 'profile',
    matches: { profile: { username: 'bob_{run}', bio: null, image: null, following } },
  }
}

export const profiles: Step[] = [
  register('amy'),
  register('bob'),
  showProfile(undefined, false),
  showProfile('amy', false),
  {
    title: 'follow',
    send: 'POST /profiles/bob_{run}/follow',
    as: 'amy',
    status: 200,
    shape: 'profile',
    matches: { profile: { username: 'bob_{run}', following: true } },
  },
  showProfile('amy', true),
  showProfile('bob', false),
  showProfile(undefined, false),
  {
    title: 'unfollow',
    send: 'DELETE /profiles/bob_{run}/follow',
    as: 'amy',
    status: 200,
    shape: 'profile',
    matches: { profile: { username: 'bob_{run}', following: false } },
  },
  showProfile('amy', false),
]

const nobody = { profile: ['not found'] }

export const profileErrors: Step[] = [
  register('amy'),
  refuse(404, nobody, { send: 'GET /profiles/nobody_{run}' }),
  refuse(401, missing, { send: 'POST /profiles/amy_{run}/follow' }),
  refuse(401, missing, { send: 'DELETE /profiles/amy_{run}/follow' }),
  refuse(404, nobody, { send: 'POST /profiles/nobody_{run}/follow', as: 'amy' }),
  refuse(404, nobody, { send: 'DELETE /profiles/nobody_{run}/follow', as: 'amy' }),
  refuse(401, undefined, { send: 'GET /profiles/amy_{run}', as: 'invalid' }),
]
