import cluster from 'node:cluster'
import { type ApiConfig } from './api-config.ts'
import { type ConfigProblem } from './config-error.ts'
import { parseSecrets } from './parse-secrets.ts'
import { type Values } from './read-variables.ts'
import { chooseStore } from './to-store.ts'

/** What only shows when the settings are seen together. */
export interface Findings {
  readonly problems: readonly ConfigProblem[]
  /** What is allowed and should still be known. */
  readonly warnings: readonly string[]
}

/**
 * Checks settings against each other and against where the service runs.
 * @param config - the options of `createApi`
 * @param values - what was read; parts are missing where they could not be
 * @returns problems and warnings
 */
export function checkTogether(config: ApiConfig, values: Partial<Values>): Findings {
  const findings = [
    checkDatabase(config, values),
    checkStore(config, values),
    checkMetrics(values),
    checkSecrets(config, values),
    checkLifetimes(config, values),
    checkShutdown(values),
    checkSender(config, values),
    checkAppUrl(config, values),
    checkHidden(config, values),
  ]
  const warnings = [
    warnOfSecret(config, values),
    warnOfMail(config, values),
    warnOfInstances(config, values),
  ]
  return {
    problems: findings.filter((finding) => finding !== undefined),
    warnings: warnings.filter((warning) => warning !== undefined),
  }
}

function checkDatabase(config: ApiConfig, values: Partial<Values>): ConfigProblem | undefined {
  if (config.database === false) {
    if (config.auth === false || config.auth?.connection !== undefined) return undefined
    return {
      name: 'database',
      problem: 'is off, and authentication needs one: set auth: false too',
    }
  }
  if (values.NODE_ENV !== 'production' || values.MONGODB_URI !== undefined) return undefined
  return {
    name: 'MONGODB_URI',
    problem: 'is missing, and production does not guess: MONGODB_URI=mongodb://host:27017/app',
  }
}

function checkStore(config: ApiConfig, values: Partial<Values>): ConfigProblem | undefined {
  const store = chooseStore(values)
  if (store === 'mongodb' && config.database === false) {
    return { name: 'RATE_LIMIT_STORE', problem: 'is mongodb, and there is no database' }
  }
  if (store === 'redis' && values.REDIS_URL === undefined) {
    return { name: 'REDIS_URL', problem: 'is missing, and RATE_LIMIT_STORE is redis' }
  }
  return undefined
}

function checkMetrics(values: Partial<Values>): ConfigProblem | undefined {
  const { METRICS_PORT: port, METRICS_TOKEN: token, WORKERS: workers = 1 } = values
  if (token === undefined || port !== undefined || workers === 1) return undefined
  const problem = 'is missing: with several workers the path of one would tell of that one only'
  return { name: 'METRICS_PORT', problem }
}

function checkSecrets(config: ApiConfig, values: Partial<Values>): ConfigProblem | undefined {
  if (config.auth === false || values.NODE_ENV === 'test') return undefined
  const name = config.auth?.secrets === undefined ? 'JWT_SECRET' : 'auth.secrets'
  if (values.JWT_SECRET === undefined) {
    if (values.NODE_ENV !== 'production') return undefined
    return { name, problem: 'is missing. Make one: openssl rand -base64 32' }
  }
  try {
    parseSecrets(values.JWT_SECRET)
    return undefined
  } catch (error) {
    return { name, problem: error instanceof Error ? error.message : 'is not valid' }
  }
}

function checkLifetimes(config: ApiConfig, values: Partial<Values>): ConfigProblem | undefined {
  const { REFRESH_TTL: idle, REFRESH_MAX_TTL: absolute } = values
  if (config.auth === false || idle === undefined || absolute === undefined) return undefined
  if (absolute >= idle) return undefined
  return { name: 'REFRESH_MAX_TTL', problem: 'must not be shorter than REFRESH_TTL' }
}

function checkSender(config: ApiConfig, values: Partial<Values>): ConfigProblem | undefined {
  if (!sendsMail(config, values) || hasOwnMailer(config) || values.MAIL_FROM !== undefined) {
    return undefined
  }
  return { name: 'MAIL_FROM', problem: 'is missing: MAIL_FROM=no-reply@example.com' }
}

function checkAppUrl(config: ApiConfig, values: Partial<Values>): ConfigProblem | undefined {
  if (!sendsMail(config, values) || values.APP_URL !== undefined) return undefined
  if (values.NODE_ENV !== 'production') return undefined
  const problem = 'is missing, and the links in mails lead there: APP_URL=https://app.example.com'
  return { name: 'APP_URL', problem }
}

function checkHidden(config: ApiConfig, values: Partial<Values>): ConfigProblem | undefined {
  if (config.auth === false || !config.auth?.hideRegistered) return undefined
  if (values.NODE_ENV !== 'production' || sendsMail(config, values)) return undefined
  return {
    name: 'auth.hideRegistered',
    problem: 'answers by mail only, and none is sent: set SMTP_URL, MAIL_FROM and APP_URL',
  }
}

function sendsMail(config: ApiConfig, values: Partial<Values>): boolean {
  if (config.auth === false || config.auth?.mail === false) return false
  return values.SMTP_URL !== undefined || hasOwnMailer(config)
}

function hasOwnMailer({ auth }: ApiConfig): boolean {
  return auth !== false && auth?.mail !== false && auth?.mail?.mailer !== undefined
}

function warnOfMail(config: ApiConfig, values: Partial<Values>): string | undefined {
  if (config.auth === false || config.auth?.mail === false) return undefined
  if (values.NODE_ENV !== 'production' || sendsMail(config, values)) return undefined
  return 'SMTP_URL is not set: no mail is sent, so nobody can set a forgotten password or verify an address. Set SMTP_URL, MAIL_FROM and APP_URL, or auth.mail: false'
}

function checkShutdown(values: Partial<Values>): ConfigProblem | undefined {
  const { DRAIN_DELAY: delay, SHUTDOWN_TIMEOUT: timeout } = values
  if (delay === undefined || timeout === undefined || timeout > delay) return undefined
  return { name: 'SHUTDOWN_TIMEOUT', problem: 'must be longer than DRAIN_DELAY' }
}

function warnOfSecret(config: ApiConfig, values: Partial<Values>): string | undefined {
  if (config.auth === false || values.JWT_SECRET !== undefined) return undefined
  if (values.NODE_ENV !== 'development') return undefined
  return 'JWT_SECRET is not set: a random one is used, and everyone is logged out when the process ends. Make one: openssl rand -base64 32'
}

function warnOfInstances(config: ApiConfig, values: Partial<Values>): string | undefined {
  if (config.rateLimit === false || chooseStore(values) !== 'memory') return undefined
  const processes = (values.INSTANCES ?? 1) * (values.WORKERS ?? 1)
  if (!cluster.isWorker && processes <= 1) return undefined
  return 'Rate limits are counted in the memory of each process: with several, a client gets the limit several times. Let them share one: RATE_LIMIT_STORE=mongodb, or REDIS_URL'
}
