import type * as PrometheusClient from 'prom-client'
import { loadOptional } from '../kernel/optional-package.ts'
import { type ProcessRole } from '../kernel/process-role.ts'

export interface Prometheus {
  readonly client: typeof PrometheusClient
  /** Metrics of one API; each API of a process has its own registry. */
  readonly registry: PrometheusClient.Registry
  /** Media type of what `render` returns. */
  readonly contentType: string
  /** Renders all metrics in the Prometheus text format. */
  render(): Promise<string>
}

// The output includes metrics that the application has in the default registry of `prom-client`.
export function createPrometheus(role: ProcessRole): Prometheus {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the package
  const client = loadOptional('prom-client', 'Metrics need the package', [
    'prom-client',
  ]) as typeof PrometheusClient
  if (role === 'primary') return createCollector(client)
  const registry = new client.Registry()
  client.collectDefaultMetrics({ register: registry })
  if (role === 'worker') reportToPrimary(client, registry)
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

// The primary process serves no requests: it requests the metrics of the workers and adds them up.
function createCollector(client: typeof PrometheusClient): Prometheus {
  const collector = new client.AggregatorRegistry()
  return {
    client,
    registry: new client.Registry(),
    contentType: collector.contentType,
    render: () => collector.clusterMetrics(),
  }
}

function reportToPrimary(
  client: typeof PrometheusClient,
  registry: PrometheusClient.Registry,
): void {
  client.AggregatorRegistry.setRegistries([registry, client.register])
  // Created for its side effect: the constructor adds a listener to the process.
  void new client.AggregatorRegistry()
}
