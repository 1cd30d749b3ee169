// What core declares of optional packages, which are not installed with it: a mistake is an error of types here.
import * as openTelemetry from '@opentelemetry/api'
import * as promClient from 'prom-client'
import * as rateLimitRedis from 'rate-limit-redis'
import * as redis from 'redis'
import { type RedisPackage } from '../packages/core/src/lib/database/connect-redis.ts'
import { type OpenTelemetry } from '../packages/core/src/lib/logging/tracing.ts'
import { type OpenTelemetry as JobsOpenTelemetry } from '../packages/jobs/src/lib/worker/tracing.ts'
import { type RateLimitRedis } from '../packages/core/src/lib/limits/redis-store.ts'
import { type PrometheusClient } from '../packages/core/src/lib/metrics/prometheus.ts'

/** The packages as core sees them. */
export const packages: {
  readonly openTelemetry: OpenTelemetry & JobsOpenTelemetry<openTelemetry.Context>
  readonly promClient: PrometheusClient<promClient.Registry>
  readonly rateLimitRedis: RateLimitRedis
  readonly redis: RedisPackage
} = { openTelemetry, promClient, rateLimitRedis, redis }
