import type * as PrometheusClient from 'prom-client'
import { loadOptional } from '../optional-package.ts'

/** Which process this is: the only one, or of several the first or one of those that serve. */
export type ProcessRole = 'alone' | 'primary' | 'worker'

/** What measures and tells. */
export interface Prometheus {
  readonly client: typeof PrometheusClient
  /** Metrics of one API; an API keeps its own, because a process can have several. */
  readonly registry: PrometheusClient.Registry
  /** Media type of what `render` returns. */
  readonly contentType: string
  /** Everything measured, in the text format of Prometheus. */
  render(): Promise<string>
}

/**
 * Makes a registry of metrics with those of the process in it: memory, CPU, event-loop delay,
 * garbage collection. Metrics that the application keeps in the default registry of `prom-client`
 * are told with them.
 * @param role - which of several processes this is
 * @returns the registry
 * @throws Error when the package `prom-client` is not installed
 */
export function createPrometheus(role: ProcessRole): Prometheus {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package says of itself
  const client = loadOptional('prom-client', 'Metrics need the package', [
    'prom-client',
  ]) as typeof PrometheusClient
  if (role === 'primary') return createCollector(client)
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry })
  if (role === 'worker') answerCollector(client, registry)
  return {
    client,
    registry,
    contentType: registry.contentType,
    async render() {
      const own = new Set(registry.getMetricsAsArray().map(({ name }) => name))
      const others = client.register.getMetricsAsArray().filter(({ name }) => !own.has(name))
      const texts = others.map(({ name }) => client.register.getSingleMetricAsString(name))
      return [await registry.metrics(), ...(await Promise.all(texts))].join('\n')
    },
  }
}

// The first of several processes serves nobody: it asks the others and adds up.
function createCollector(client: typeof PrometheusClient): Prometheus {
  const collector = new client.AggregatorRegistry()
  return {
    client,
    registry: new client.Registry(),
    contentType: collector.contentType,
    render: () => collector.clusterMetrics(),
  }
}

function answerCollector(
  client: typeof PrometheusClient,
  registry: PrometheusClient.Registry,
): void {
  client.AggregatorRegistry.setRegistries([registry, client.register])
  // Made for the listener that it adds to the process.
  void new client.AggregatorRegistry()
}
