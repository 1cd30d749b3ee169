// The times of a server, for `createServer` and for the options of `createApi`.
export const serverDefaults = {
  headersTimeout: '10s',
  requestTimeout: '30s',
  keepAliveTimeout: '65s',
} as const
