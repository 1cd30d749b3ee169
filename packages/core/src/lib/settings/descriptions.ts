// Written from the comments of the options: see environment-table.test.ts.
export const descriptions: Readonly<Record<string, string>> = {
  HOST: 'Address to listen on; `127.0.0.1` accepts connections from this machine only.',
  PORT: 'TCP port to listen on; `0` uses a free one.',
  HEADERS_TIMEOUT: 'Maximum time for the header fields of a request to arrive.',
  REQUEST_TIMEOUT: 'Maximum time for a whole request to arrive.',
  KEEP_ALIVE_TIMEOUT:
    'Time for which an idle connection stays open; set it longer than the idle timeout of your load balancer.',
  DRAIN_DELAY:
    'Time for which requests are still accepted after readiness starts to fail, so that load balancers notice.',
  SHUTDOWN_TIMEOUT:
    'Maximum time from the signal to the end of the process, longer than `DRAIN_DELAY`. Connections that are still open shortly before, including WebSockets, are closed.',
  HANDLER_TIMEOUT:
    'Time after which a request whose handler has not started a response gets a 503; `off` for no limit.',
  MAX_CONCURRENT_REQUESTS:
    'Maximum number of requests in progress in one process. Further requests, except health checks, get a 503 at once; `off` for no limit.',
  MAX_EVENT_LOOP_DELAY:
    'Delay of the event loop above which requests, except health checks, get a 503 at once; `off` for no limit.',
  FAST: 'Whether to use the fast paths through Node and Express. Responses are the same without them, but take longer. A self-test turns them off, with a warning, if Node or Express has changed.',
  MONGODB_URI:
    'Where the documents are stored: a MongoDB server, `embedded:<folder>` or `embedded:memory`. Required in production.',
  MONGODB_POOL_SIZE: 'Maximum number of connections to the database.',
  MONGODB_TIMEOUT: 'Time after which one operation of the database fails.',
  MONGODB_SHARE_COMMANDS:
    'Whether requests that arrive together share a command to the database if they read the same list, read single documents in the same scope or create documents.',
  RATE_LIMIT: 'Requests allowed for each client in a window; `off` for no limit.',
  RATE_LIMIT_WINDOW: 'Window of `RATE_LIMIT`.',
  RATE_LIMIT_STORE:
    'Where requests, including those of authentication, are counted: in the `memory` of each process, or in `mongodb` or `redis` for all processes together. The default is `redis` with `REDIS_URL`, else `memory`. In code, it can be a store of express-rate-limit for the global limit.',
  REDIS_URL:
    'Redis that counts requests for all processes together; `rediss://` for TLS. Needs the packages `redis` and `rate-limit-redis`.',
  LOG_LEVEL: 'The lowest level that is logged.',
  LOG_FORMAT: 'One JSON object per line, or text for people.',
  OPENAPI:
    'Whether everyone can read the document at `/openapi.json` and the page at `/docs`. `api.openapi` has the document in any case. Unless this is set, production logs at startup that both are public.',
  BODY_LIMIT: 'Maximum size of a JSON body, also after decompression.',
  CORS_ORIGINS:
    'Origins whose scripts may read responses, in the environment separated by commas; none by default, `*` is every origin, `https://*.example.com` every subdomain.',
  ACCESS_LOG:
    'The line for each request: `json`, a format of morgan such as `dev` or `combined`, or `off`.',
  NODE_ENV: 'Where the service runs. Anything that serves real users is `production`.',
  TRUST_PROXY:
    'Proxies that are trusted to report the address of the client: how many of them forward a request, or their networks; `off` for none. Unless this is set, an API that is mounted in another app trusts the proxies of that app.',
  WORKERS:
    'Number of processes that serve the port together, started and supervised by the first one; `auto` is one for each processor.',
  MIGRATIONS_ON_PENDING:
    'What the API does at startup if migrations are pending: `fail` does not start, `warn` logs a warning, `run` applies them first, in one process at a time.',
  WORKER:
    'Where jobs run: `on` in the process that serves requests, `off` not in this process, `only` in a process that serves no requests. Needs `createJobs` of the package `@create-api/jobs`.',
  METRICS_PORT:
    'Serves metrics for Prometheus on a separate port, which must not be reachable from outside; `0` uses a free one. Needs `createMetrics` and the package `prom-client`.',
  METRICS_TOKEN:
    'Bearer token for reading the metrics, at least 16 characters. Without `METRICS_PORT` they are served at `METRICS_PATH` of the API.',
  METRICS_PATH: 'Path of the metrics.',
  JWT_SECRET:
    'Secrets of at least 32 random bytes in base64 or hex, in the environment separated by commas. The first one signs, and all are accepted. To rotate, add a new one at the end, put it first once all processes accept it, and remove the old one when its refresh tokens have expired. Required in production; elsewhere, each process uses a random one.',
  JWT_SIGNING_KEYS:
    'ES256 or RS256 keys for access tokens that other services verify; in the environment as PKCS #8 in base64, separated by commas. The first one signs, and all are accepted. `api keys generate --alg ES256` creates one. Without keys, access tokens use HS256. Refresh tokens always use the secrets.',
  JWT_ISSUER: 'The `iss` claim of access tokens; by default the name of the service.',
  JWT_AUDIENCE: 'The `aud` claim of access tokens; by default the name of the service.',
  ACCESS_TTL:
    'Lifetime of access tokens, 1s or more. Above 1h, a warning at startup states the consequences.',
  REFRESH_TTL: 'Time after which a session expires unless it is refreshed.',
  REFRESH_MAX_TTL: 'Time after which a session expires in any case.',
  REFRESH_LEEWAY:
    'Time for which the direct predecessor of the current refresh token still works and returns the current tokens again, a few times in a row, so that two tabs or a lost response end no session; at most 60s. A thief of that token has the same time. 0s ends the session at its first reuse.',
  AUTH_RATE_LIMIT:
    'Failed logins allowed in a window, from one address and for one account (`perAccount`); `off` switches off all limits of authentication.',
  AUTH_RATE_LIMIT_WINDOW: 'Window of `AUTH_RATE_LIMIT`.',
  SMTP_URL:
    'SMTP server that sends e-mail. Without it, e-mail is written to `.data/mail` in development, with the links printed, and is not sent elsewhere.',
  MAIL_FROM: 'Sender of e-mail; required with `SMTP_URL`.',
  APP_URL:
    'Address of the front end that the links in e-mail lead to. Required in production when e-mail is sent.',
}
