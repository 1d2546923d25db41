import { context } from '@opentelemetry/api'
import { expect, test } from 'vitest'
import { createOpenTelemetry } from '../../../adapters/opentelemetry/index.ts'
import { telemetryContract } from '../../contracts/telemetry.ts'
import { createFakeOpenTelemetry } from '../../support/fakes/fake-opentelemetry.ts'

telemetryContract('OpenTelemetry', createFakeOpenTelemetry)

test('without an SDK all work is done, and nothing is recorded', async () => {
  context.disable()
  const telemetry = createOpenTelemetry()
  const inside = await telemetry.span({ name: 'x' }, async (span) => {
    span.set({ a: 1 })
    span.fail('timeout')
    return telemetry.context()
  })
  expect(inside).toBeNull()
  const metric = { name: 'm', unit: 's', description: '' }
  telemetry.count(metric, 1, {})
  telemetry.record(metric, 1, {})
  telemetry.observe(metric, async () => [])()
})
