import { createPlatform } from 'seine'
import { serve } from 'seine/node'
import { createPrometheus } from 'seine/prometheus'

const metrics = createPrometheus()
export const platform = createPlatform({ telemetry: metrics })
export const metricsServer = await serve({ fetch: metrics.fetch, port: 9464, worker: false })
