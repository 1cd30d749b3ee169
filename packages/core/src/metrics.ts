// The groups are the topics of the API reference: a comment names the topic and its guides.

// Metrics: docs/observability.md#metrics
export { createMetrics } from './lib/metrics/metrics.ts'
export { type MetricsConfig, type MetricsFeature } from './lib/features/metrics.ts'
