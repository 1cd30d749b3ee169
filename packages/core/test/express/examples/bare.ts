import { type Api, createApi, createRegistry } from '@create-api/core'

export function createBareApi(): Api {
  const api = createApi({
    routes: createRegistry(),
    auth: false,
    database: false,
    openapi: false,
    health: false,
    rateLimit: false,
    accessLog: { format: false },
    server: { handlerTimeout: false, maxConcurrentRequests: false, maxEventLoopDelay: false },
    securityHeaders: {
      cacheControl: false,
      helmet: {
        contentSecurityPolicy: false,
        crossOriginOpenerPolicy: false,
        crossOriginResourcePolicy: false,
        referrerPolicy: false,
        strictTransportSecurity: false,
        xContentTypeOptions: false,
        xDnsPrefetchControl: false,
        xFrameOptions: false,
        xPermittedCrossDomainPolicies: false,
      },
    },
  })
  api.app.enable('x-powered-by')
  api.app.set('etag', 'weak')
  return api
}
