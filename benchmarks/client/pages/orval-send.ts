// The function that orval calls for each request.
export const session = {
  url: '',
  accessToken: '',
  refreshToken: '',
  refresh: async (): Promise<boolean> => false,
}
let refreshing: Promise<boolean> | undefined

export async function send<Result>(path: string, init: RequestInit): Promise<Result> {
  const isPublic = path.startsWith('/api/v1/auth')
  const attempt = () => {
    const headers = new Headers(init.headers)
    if (!isPublic) headers.set('authorization', `Bearer ${session.accessToken}`)
    return fetch(session.url + path, { ...init, headers })
  }
  let response = await attempt()
  if (response.status === 401 && !isPublic) {
    refreshing ??= session.refresh().finally(() => (refreshing = undefined))
    if (await refreshing) response = await attempt()
  }
  const text = await response.text()
  const data: unknown = text === '' ? undefined : JSON.parse(text)
  return { data, status: response.status, headers: response.headers } as Result
}
