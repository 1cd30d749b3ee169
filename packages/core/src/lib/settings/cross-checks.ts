import cluster from 'node:cluster'
import { findAuthFaults, findAuthWarnings, sendsMail } from '../auth/options/auth-faults.ts'
import { authOptions } from '../auth/options/auth-options.ts'
import { requireStrong } from '../auth/tokens/parse-secrets.ts'
import { requireSafeOrigins } from '../http/cors.ts'
import { type MetricsValues } from '../features/metrics.ts'
import { type ConfigProblem, listOptions, readPath, type Unfinished } from '../options/options.ts'
import { type ApiOptions, type ApiValues, type StoreChoice } from './api-options.ts'

type Known = Unfinished<ApiValues>

export interface Findings {
  readonly problems: readonly ConfigProblem[]
  /** Settings that are allowed but worth knowing at the start. */
  readonly warnings: readonly string[]
}

// Checks settings against each other and against where the service runs.
export function checkTogether(config: Partial<ApiOptions>, values: Known): Findings {
  const findings = [
    checkDatabase(values),
    checkStore(values),
    checkMetricsImport(config, values),
    checkMetrics(values),
    checkMigrations(config, values),
    checkJobs(config, values),
    checkCors(config, values),
    checkSecrets(config, values),
    checkShutdown(values),
    ...checkAuth(config, values),
    checkTenants(values),
  ]
  const warnings = [
    warnOfSecret(values),
    ...(values.auth ? findAuthWarnings(values.auth) : []),
    warnOfMail(values),
    warnOfMemoryStore(values),
  ]
  return {
    problems: findings.filter((finding) => finding !== undefined),
    warnings: warnings.filter((warning) => warning !== undefined),
  }
}

// Where requests are counted: what was chosen, else Redis if there is one.
export function chooseStore({ rateLimit, redis }: Known): StoreChoice {
  const chosen = rateLimit ? rateLimit.store : undefined
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a store is complete or missing
  return (chosen as StoreChoice | undefined) ?? (redis?.url === undefined ? 'memory' : 'redis')
}

function checkDatabase({ database, environment }: Known): ConfigProblem | undefined {
  if (environment !== 'production' || database === false) return undefined
  if (database?.uri !== undefined) return undefined
  return {
    name: 'MONGODB_URI',
    problem: 'is missing, and production has no default: MONGODB_URI=mongodb://host:27017/app',
  }
}

function checkStore(values: Known): ConfigProblem | undefined {
  const store = chooseStore(values)
  if (store === 'redis' && values.redis?.url === undefined) {
    return { name: 'REDIS_URL', problem: 'is missing, and RATE_LIMIT_STORE is redis' }
  }
  return undefined
}

// Whether metrics are served: the environment alone can ask for them.
export function hasMetrics({ port, token }: Unfinished<MetricsValues>): boolean {
  return (port ?? token) !== undefined
}

function checkMetricsImport(
  config: Partial<ApiOptions>,
  { metrics }: Known,
): ConfigProblem | undefined {
  if (!metrics || metrics.create || !(config.metrics || hasMetrics(metrics))) return undefined
  const variable = metrics.port === undefined ? 'METRICS_TOKEN' : 'METRICS_PORT'
  return missFeature('metrics', 'createMetrics()', config.metrics ? 'metrics' : variable)
}

function checkMigrations(
  config: Partial<ApiOptions>,
  { migrations }: Known,
): ConfigProblem | undefined {
  if (!config.migrations) return undefined
  if (!migrations?.handlePending)
    return missFeature('migrations', 'createMigrations({ directory })')
  if (migrations.directory !== undefined) return undefined
  const example = "createMigrations({ directory: new URL('./migrations/', import.meta.url) })"
  return { name: 'migrations.directory', problem: `is missing: ${example}` }
}

function checkJobs(
  config: Partial<ApiOptions>,
  { database, jobs }: Known,
): ConfigProblem | undefined {
  const problem =
    "needs createApi({ jobs: createJobs({ jobs: [] }) }), imported from '@create-api/jobs'"
  if (!jobs?.create) {
    if (config.jobs) return { name: 'jobs', problem }
    return jobs?.worker === 'only' ? { name: 'WORKER', problem } : undefined
  }
  if (database !== false || jobs.worker !== 'only') return undefined
  return { name: 'WORKER', problem: 'cannot be only with database: false' }
}

// An option of a feature is created by a function of the entry point that is named like the option.
function missFeature(option: string, code: string, name = option): ConfigProblem {
  return {
    name,
    problem: `needs createApi({ ${option}: ${code} }), imported from '@create-api/core/${option}'`,
  }
}

function checkMetrics({ metrics, workers = 1 }: Known): ConfigProblem | undefined {
  if (!metrics || metrics.token === undefined || metrics.port !== undefined) return undefined
  if (workers === 1) return undefined
  const problem = 'is missing: with several workers, METRICS_PATH would show one worker only'
  return { name: 'METRICS_PORT', problem }
}

function checkCors(config: Partial<ApiOptions>, values: Known): ConfigProblem | undefined {
  const name = config.cors?.origins === undefined ? 'CORS_ORIGINS' : 'cors.origins'
  const { origins = [] } = values.cors ?? {}
  return checkBy(name, () => requireSafeOrigins(origins, sendsCookies(values)))
}

// Whether browsers send cookies to the API from pages of other origins.
export function sendsCookies({ auth, cors }: Pick<Known, 'auth' | 'cors'>): boolean {
  const { origins = [] } = (auth && auth.cookies) || {}
  return cors?.credentials ?? origins.length > 0
}

function checkSecrets(
  config: Partial<ApiOptions>,
  { auth, environment }: Known,
): ConfigProblem | undefined {
  if (!auth) return undefined
  const isOption = config.auth && config.auth.secrets !== undefined
  const name = isOption ? 'auth.secrets' : 'JWT_SECRET'
  const { secrets } = auth
  if (secrets !== undefined)
    return checkBy(name, () => requireStrong(secrets, environment === 'test'))
  if (environment !== 'production') return undefined
  return { name, problem: 'is missing. Create one: openssl rand -base64 32' }
}

function checkBy(name: string, check: () => unknown): ConfigProblem | undefined {
  try {
    check()
    return undefined
  } catch (error) {
    const message = error instanceof Error ? error.message : 'is not valid'
    return { name, problem: message.replace(/^cors\.origins:? /, '') }
  }
}

function checkShutdown({ server = {} }: Known): ConfigProblem | undefined {
  const { drainDelay: delay, shutdownTimeout: timeout } = server
  if (delay === undefined || timeout === undefined || timeout > delay) return undefined
  return { name: 'SHUTDOWN_TIMEOUT', problem: 'must be longer than DRAIN_DELAY' }
}

function checkAuth(
  config: Partial<ApiOptions>,
  { auth, environment }: Known,
): readonly ConfigProblem[] {
  if (!auth) return []
  return findAuthFaults(auth, { environment, nameOf: (option) => nameAuthOption(config, option) })
}

function checkTenants({ auth, authenticator, tenants }: Known): ConfigProblem | undefined {
  if (!tenants) return undefined
  if (!tenants.create) return missFeature('tenants', 'createTenants()')
  if (authenticator) return undefined
  if (auth === false) {
    return {
      name: 'tenants',
      problem: 'needs callers: leave out auth: false, or set authenticator',
    }
  }
  if (tenants.from !== 'token' || auth?.claims) return undefined
  const problem =
    "is 'token', and the tokens have no claims of the application: auth: { claims: { namespace, create } }"
  return { name: 'tenants.from', problem }
}

// An option that code sets is named by its path, another one by its variable.
function nameAuthOption(config: Partial<ApiOptions>, option: string): string {
  const path = `auth.${option}`
  const variable = environmentVariables.get(path)
  return variable === undefined || readPath(config, path) !== undefined ? path : variable
}

const environmentVariables: ReadonlyMap<string, string | undefined> = new Map(
  listOptions(authOptions, 'auth.').map(({ path, facts }) => [path, facts.env]),
)

function warnOfMail({ auth, environment }: Known): string | undefined {
  if (!auth || !auth.mail || environment !== 'production' || sendsMail(auth)) return undefined
  return 'SMTP_URL is not set: no e-mail is sent, so users cannot set a forgotten password or verify an address. Set SMTP_URL, MAIL_FROM and APP_URL, or auth.mail: false'
}

function warnOfSecret({ auth, environment }: Known): string | undefined {
  if (!auth || auth.secrets !== undefined || environment !== 'development') return undefined
  return 'JWT_SECRET is not set: a random one is used, and all users are logged out when the process ends. Create one: openssl rand -base64 32'
}

function warnOfMemoryStore(values: Known): string | undefined {
  if (values.rateLimit === false || chooseStore(values) !== 'memory') return undefined
  if (!cluster.isWorker && (values.workers ?? 1) <= 1) return undefined
  return 'Rate limits are counted in the memory of each process, so a client gets the limit several times. Share the counters: RATE_LIMIT_STORE=mongodb, or REDIS_URL'
}
