import type { GenericSchema, InferOutput } from 'valibot'
import { expectTypeOf, test } from 'vitest'
import type { UsageSeriesQuery } from '../../src/features/analytics/service.ts'
import type { seriesQuerySchema } from '../../src/features/analytics/schema.ts'
import type { EntryQuery } from '../../src/features/billing/entries.ts'
import type {
  entryQuerySchema,
  subscriptionInputSchema,
  topUpInputSchema,
} from '../../src/features/billing/schema.ts'
import type { SubscriptionInput } from '../../src/features/billing/subscription.ts'
import type { TopUpInput } from '../../src/features/billing/top-ups.ts'
import type {
  changesQuerySchema,
  datasetExportQuerySchema,
  datasetInputSchema,
  datasetPatchSchema,
  itemsQuerySchema,
} from '../../src/features/datasets/schema.ts'
import type {
  ChangesQuery,
  DatasetExportQuery,
  DatasetInput,
  DatasetPatch,
  ItemsQuery,
} from '../../src/features/datasets/service.ts'
import type {
  executionQuerySchema,
  extractInputSchema,
  pagesQuerySchema,
  runInputSchema,
  startInputSchema,
} from '../../src/features/executions/schema.ts'
import type { PagesQuery } from '../../src/features/executions/receipt.ts'
import type { ExecutionQuery, RunInput } from '../../src/features/executions/service.ts'
import type { keyInputSchema } from '../../src/features/keys/schema.ts'
import type { agenticQuerySchema } from '../../src/features/agentic/schema.ts'
import type { AgenticCallQuery } from '../../src/features/agentic/service.ts'
import type { periodQuerySchema } from '../../src/features/analytics/schema.ts'
import type { PeriodQuery } from '../../src/features/analytics/period.ts'
import type { ExtractInput } from '../../src/features/executions/kept-pages.ts'
import type { KeyInput } from '../../src/features/keys/service.ts'
import type {
  previewInputSchema,
  taskPreviewInputSchema,
} from '../../src/features/previews/schema.ts'
import type { PreviewInput, TaskPreviewInput } from '../../src/features/previews/service.ts'
import type { StartInput } from '../../src/features/recipes/override-recipe.ts'
import type { exportQuerySchema, resultsQuerySchema } from '../../src/features/results/schema.ts'
import type { ExportQuery, ResultsQuery } from '../../src/features/results/service.ts'
import type { importQuerySchema } from '../../src/features/task-files/schema.ts'
import type { TaskImportOptions } from '../../src/features/task-files/task-file.ts'
import type { RepairInput } from '../../src/features/tasks/repair.ts'
import type {
  repairInputSchema,
  taskInputSchema,
  taskPatchSchema,
  taskQuerySchema,
} from '../../src/features/tasks/schema.ts'
import type { TaskInput, TaskPatch } from '../../src/features/tasks/service.ts'
import type { TaskQuery } from '../../src/features/tasks/task.ts'
import type { templateQuerySchema } from '../../src/features/templates/schema.ts'
import type { TemplateQuery } from '../../src/features/templates/service.ts'
import type { DeliveryQuery } from '../../src/features/webhooks/delivery-log.ts'
import type {
  deliveryQuerySchema,
  webhookInputSchema,
  webhookPatchSchema,
} from '../../src/features/webhooks/schema.ts'
import type { WebhookInput, WebhookPatch } from '../../src/features/webhooks/service.ts'

type Members<T extends GenericSchema> = keyof NonNullable<InferOutput<T>>

// The types of services are written by hand, so that members have hover text and lists are readonly.
// Routes pass on what schemas accept, so no member is missing; this test proves that none is extra.
test('the inputs of services have exactly the members of their schemas', () => {
  expectTypeOf<keyof TaskInput>().toEqualTypeOf<Members<typeof taskInputSchema>>()
  expectTypeOf<keyof TaskPatch>().toEqualTypeOf<Members<typeof taskPatchSchema>>()
  expectTypeOf<keyof TaskQuery>().toEqualTypeOf<Members<typeof taskQuerySchema>>()
  expectTypeOf<keyof DatasetInput>().toEqualTypeOf<Members<typeof datasetInputSchema>>()
  expectTypeOf<keyof DatasetPatch>().toEqualTypeOf<Members<typeof datasetPatchSchema>>()
  expectTypeOf<keyof ItemsQuery>().toEqualTypeOf<Members<typeof itemsQuerySchema>>()
  expectTypeOf<keyof ChangesQuery>().toEqualTypeOf<Members<typeof changesQuerySchema>>()
  expectTypeOf<keyof ExecutionQuery>().toEqualTypeOf<Members<typeof executionQuerySchema>>()
  expectTypeOf<keyof PagesQuery>().toEqualTypeOf<Members<typeof pagesQuerySchema>>()
  expectTypeOf<keyof ResultsQuery>().toEqualTypeOf<Members<typeof resultsQuerySchema>>()
  expectTypeOf<keyof WebhookInput>().toEqualTypeOf<Members<typeof webhookInputSchema>>()
  expectTypeOf<keyof WebhookPatch>().toEqualTypeOf<Members<typeof webhookPatchSchema>>()
  expectTypeOf<keyof KeyInput>().toEqualTypeOf<Members<typeof keyInputSchema>>()
  expectTypeOf<keyof SubscriptionInput>().toEqualTypeOf<Members<typeof subscriptionInputSchema>>()
  // Only a program in the same process names the reference; over HTTP it is the Idempotency-Key.
  expectTypeOf<Exclude<keyof TopUpInput, 'reference'>>().toEqualTypeOf<
    Members<typeof topUpInputSchema>
  >()
  expectTypeOf<keyof EntryQuery>().toEqualTypeOf<Members<typeof entryQuerySchema>>()
  expectTypeOf<keyof TemplateQuery>().toEqualTypeOf<Members<typeof templateQuerySchema>>()
  expectTypeOf<keyof PeriodQuery>().toEqualTypeOf<Members<typeof periodQuerySchema>>()
  expectTypeOf<keyof AgenticCallQuery>().toEqualTypeOf<Members<typeof agenticQuerySchema>>()
  expectTypeOf<keyof StartInput>().toEqualTypeOf<Members<typeof startInputSchema>>()
  // Over HTTP the template is in the path.
  expectTypeOf<Exclude<keyof RunInput, 'templateId'>>().toEqualTypeOf<
    Members<typeof runInputSchema>
  >()
  expectTypeOf<keyof ExtractInput>().toEqualTypeOf<Members<typeof extractInputSchema>>()
  expectTypeOf<keyof ExportQuery>().toEqualTypeOf<Members<typeof exportQuerySchema>>()
  expectTypeOf<keyof DatasetExportQuery>().toEqualTypeOf<Members<typeof datasetExportQuerySchema>>()
  expectTypeOf<keyof RepairInput>().toEqualTypeOf<Members<typeof repairInputSchema>>()
  expectTypeOf<keyof DeliveryQuery>().toEqualTypeOf<Members<typeof deliveryQuerySchema>>()
  expectTypeOf<keyof TaskImportOptions>().toEqualTypeOf<Members<typeof importQuerySchema>>()
  // A program gives a preview its scope and a signal; the route takes both from the request.
  expectTypeOf<Exclude<keyof PreviewInput, 'scope' | 'signal'>>().toEqualTypeOf<
    Members<typeof previewInputSchema>
  >()
  expectTypeOf<Exclude<keyof TaskPreviewInput, 'signal'>>().toEqualTypeOf<
    Members<typeof taskPreviewInputSchema>
  >()
  expectTypeOf<keyof UsageSeriesQuery>().toEqualTypeOf<Members<typeof seriesQuerySchema>>()
})
