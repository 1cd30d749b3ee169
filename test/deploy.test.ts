import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { z } from 'zod'
import { parseDuration } from '../packages/core/src/lib/options/parse-duration.ts'
import { environmentTable } from '../packages/core/src/lib/settings/describe-environment.ts'
import { readConfig } from '../packages/core/src/lib/settings/read-config.ts'

const folder = path.resolve(import.meta.dirname, '../docs/deploy')
const variables = environmentTable.map(({ name }) => name)
const secrets = { MONGODB_URI: 'mongodb://db/app', JWT_SECRET: 'x'.repeat(44) }

function read(file: string): string {
  return readFileSync(path.join(folder, file), 'utf8')
}

// Every variable exists and has a valid value, and the durations are consistent.
function findFaults(env: Readonly<Record<string, string>>, graceMs: number): string[] {
  const { problems, values } = readConfig({}, { ...secrets, ...env })
  const { drainDelay, keepAliveTimeout, shutdownTimeout } = values.server
  return [
    ...Object.keys(env).filter((name) => !variables.includes(name)),
    ...problems.map(({ name, problem }) => `${name} ${problem}`),
    ...(drainDelay < shutdownTimeout ? [] : ['DRAIN_DELAY is not shorter']),
    ...(shutdownTimeout < graceMs ? [] : ['the grace period is not longer']),
    // The idle timeout of most load balancers.
    ...(keepAliveTimeout > 60_000 ? [] : ['KEEP_ALIVE_TIMEOUT is not longer']),
  ]
}

const probe = z.object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
const container = z.object({
  ports: z.array(z.object({ name: z.string(), containerPort: z.number() })),
  env: z.array(z.object({ name: z.string(), value: z.string() })),
  startupProbe: probe,
  readinessProbe: probe,
  livenessProbe: probe,
  resources: z.object({
    requests: z.object({ cpu: z.string(), memory: z.string() }),
    limits: z.object({ memory: z.string() }),
  }),
  securityContext: z.object({
    allowPrivilegeEscalation: z.literal(false),
    readOnlyRootFilesystem: z.literal(true),
    capabilities: z.object({ drop: z.tuple([z.literal('ALL')]) }),
  }),
})
const labels = z.record(z.string(), z.string())
const deployment = z.object({
  apiVersion: z.literal('apps/v1'),
  kind: z.literal('Deployment'),
  spec: z.object({
    replicas: z.number().min(2),
    selector: z.object({ matchLabels: labels }),
    template: z.object({
      metadata: z.object({ labels }),
      spec: z.object({
        terminationGracePeriodSeconds: z.number(),
        securityContext: z.object({ runAsNonRoot: z.literal(true) }),
        containers: z.tuple([container]),
      }),
    }),
  }),
})

describe('AVL-03 AVL-06 AVL-07 docs/deploy/kubernetes.yaml', () => {
  const documents = parseAllDocuments(read('kubernetes.yaml'))
  const { spec } = deployment.parse(documents[0]?.toJS())
  const pod = spec.template.spec
  const [api] = pod.containers

  it('is valid YAML and contains every object that is needed', () => {
    expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([])
    const kinds = documents.map(
      (document) => z.object({ kind: z.string() }).parse(document.toJS()).kind,
    )
    expect(kinds).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'HorizontalPodAutoscaler',
    ])
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels)
  })

  it('probes the right path on the port of the container', () => {
    expect(api.startupProbe.httpGet.path).toBe('/health/live')
    expect(api.livenessProbe.httpGet.path).toBe('/health/live')
    expect(api.readinessProbe.httpGet.path).toBe('/health/ready')
    for (const { httpGet } of [api.startupProbe, api.livenessProbe, api.readinessProbe]) {
      expect(api.ports.map(({ name }) => name)).toContain(httpGet.port)
    }
  })

  it('sets existing variables with consistent durations', () => {
    const env = Object.fromEntries(api.env.map(({ name, value }) => [name, value]))
    expect(findFaults(env, pod.terminationGracePeriodSeconds * 1000)).toEqual([])
    expect(Number(env['PORT'])).toBe(api.ports[0]?.containerPort)
  })
})

describe('AVL-03 AVL-06 AVL-07 docs/deploy/compose.yaml', () => {
  const { services } = z
    .object({
      services: z.record(
        z.string(),
        z.looseObject({
          image: z.string(),
          restart: z.literal('unless-stopped'),
          healthcheck: z.object({ test: z.union([z.string(), z.array(z.string())]) }),
        }),
      ),
    })
    .parse(parse(read('compose.yaml')))
  const api = z
    .object({
      environment: z.record(z.string(), z.string()),
      healthcheck: z.object({ test: z.array(z.string()) }),
      depends_on: z.record(z.string(), z.object({ condition: z.literal('service_healthy') })),
      stop_grace_period: z.string(),
      read_only: z.literal(true),
      cap_drop: z.tuple([z.literal('ALL')]),
    })
    .parse(services['api'])

  it('sets existing variables with consistent durations', () => {
    const env = { ...api.environment, JWT_SECRET: secrets.JWT_SECRET }
    expect(findFaults(env, parseDuration(api.stop_grace_period))).toEqual([])
  })

  it('waits for its dependencies and checks liveness', () => {
    expect(Object.keys(api.depends_on).every((name) => name in services)).toBe(true)
    expect(api.healthcheck.test.join(' ')).toContain('/health/live')
  })
})
