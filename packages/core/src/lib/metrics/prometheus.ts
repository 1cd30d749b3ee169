import { loadOptional } from '../runtime/optional-package.ts'
import { type ProcessRole } from '../runtime/process-role.ts'

/** The part of the package `prom-client` that is used. */
export interface PrometheusClient<Registry extends MetricRegistry = MetricRegistry> {
  readonly Counter: new (options: MetricOptions<Registry>) => {
    inc(labels: Labels, value?: number): void
  }
  readonly Gauge: new (
    options: MetricOptions<Registry> & { collect(this: Gauge): void | Promise<void> },
  ) => Gauge
  readonly Histogram: new (options: MetricOptions<Registry> & { readonly buckets: number[] }) => {
    observe(labels: Labels, value: number): void
  }
  readonly Registry: new () => Registry
  readonly AggregatorRegistry: {
    new (): { readonly contentType: string; clusterMetrics(): Promise<string> }
    setRegistries(registries: Registry[]): void
  }
  readonly register: Registry
  collectDefaultMetrics(options: { readonly register: Registry }): void
}

type Labels = Readonly<Record<string, string>>

interface MetricOptions<Registry> {
  readonly name: string
  readonly help: string
  readonly labelNames?: string[]
  readonly registers: Registry[]
}

interface Gauge {
  set(value: number): void
  set(labels: Labels, value: number): void
}

interface MetricRegistry {
  readonly contentType: string
  metrics(): Promise<string>
  getMetricsAsArray(): readonly { readonly name: string }[]
  getSingleMetricAsString(name: string): Promise<string>
}

export interface Prometheus {
  readonly client: PrometheusClient
  /** Metrics of one API; each API of a process has its own registry. */
  readonly registry: MetricRegistry
  /** Media type of what `render` returns. */
  readonly contentType: string
  /** Renders all metrics in the Prometheus text format. */
  render(): Promise<string>
}

// The output includes metrics that the application has in the default registry of `prom-client`.
export function createPrometheus(role: ProcessRole): Prometheus {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is used of the package
  const client = loadOptional('prom-client', 'Metrics need the package', [
    'prom-client',
  ]) as PrometheusClient
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
function createCollector(client: PrometheusClient): Prometheus {
  const collector = new client.AggregatorRegistry()
  return {
    client,
    registry: new client.Registry(),
    contentType: collector.contentType,
    render: () => collector.clusterMetrics(),
  }
}

function reportToPrimary(client: PrometheusClient, registry: MetricRegistry): void {
  client.AggregatorRegistry.setRegistries([registry, client.register])
  // Created for its side effect: the constructor adds a listener to the process.
  void new client.AggregatorRegistry()
}
