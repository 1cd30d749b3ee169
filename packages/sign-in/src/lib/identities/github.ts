import { z } from 'zod'
import { ProviderFailure } from './provider-fetch.ts'
import { type ProviderClaims, type ProviderFetch } from './provider.ts'

const account = z.object({
  id: z.int().positive(),
  login: z.string(),
  name: z.string().nullish(),
  avatar_url: z.string().nullish(),
})
const addresses = z.array(
  z.object({ email: z.string(), primary: z.boolean(), verified: z.boolean() }),
)

// The account and its primary address, named as in an ID token. The subject is the numeric id: a login can be renamed, and
// taken by another person.
export async function readGithubClaims(
  send: ProviderFetch,
  api: string,
  accessToken: string,
): Promise<ProviderClaims> {
  const read = async <S extends z.ZodType>(
    path: string,
    schema: S,
    refused?: z.output<S>,
  ): Promise<z.output<S>> => {
    const response = await send(`${api}${path}`, {
      headers: {
        Accept: 'application/vnd.github+json',
        Authorization: `Bearer ${accessToken}`,
        'User-Agent': 'create-api',
        'X-GitHub-Api-Version': '2022-11-28',
      },
      redirect: 'manual',
    })
    if (refused !== undefined && (response.status === 403 || response.status === 404))
      return refused
    const body: unknown = response.ok ? await response.json().catch(() => undefined) : undefined
    const { success, data } = schema.safeParse(body)
    if (!success) throw new ProviderFailure(`GET ${path} returned an unexpected response`)
    return data
  }
  const { id, login, name, avatar_url: picture } = await read('/user', account)
  // Without the permission to read addresses, the account has none: a user who is linked can still log in.
  const primary = (await read('/user/emails', addresses, [])).find(({ primary: own }) => own)
  return {
    sub: String(id),
    preferred_username: login,
    name: name ?? undefined,
    picture: picture ?? undefined,
    email: primary?.email,
    email_verified: primary?.verified ?? false,
  }
}
