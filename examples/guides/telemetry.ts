import { createPlatform } from 'seine'
import { createOpenTelemetry } from 'seine/opentelemetry'

export const platform = createPlatform({ telemetry: createOpenTelemetry() })
