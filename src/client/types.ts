// Made from the route table: do not edit. After a change of routes or schemas: npm run client
import type {
  agenticExecutionSchema,
  agenticInputSchema,
  toolSchema,
} from '../features/agentic/schema.ts'
import type {
  executionUsageSchema,
  periodQuerySchema,
  seriesQuerySchema,
  taskAnalyticsSchema,
  taskUsageSchema,
  tasksUsageQuerySchema,
  usageSeriesSchema,
  usageSummarySchema,
} from '../features/analytics/schema.ts'
import type {
  activitySchema,
  balanceSchema,
  billingListQuerySchema,
  billingUsageQuerySchema,
  billingUsageSchema,
  entryQuerySchema,
  entrySchema,
  plansSchema,
  statementPageSchema,
  statementQuerySchema,
  statementSchema,
  subscriptionInputSchema,
  subscriptionSchema,
  topUpInputSchema,
  topUpSchema,
} from '../features/billing/schema.ts'
import type { exportQuerySchema } from '../features/common/export-schema.ts'
import type {
  changesQuerySchema,
  changesSchema,
  datasetDeletedSchema,
  datasetExportQuerySchema,
  datasetInputSchema,
  datasetPatchSchema,
  datasetQuerySchema,
  datasetSchema,
  itemsQuerySchema,
  itemsSchema,
} from '../features/datasets/schema.ts'
import type { estimateInputSchema, estimateSchema } from '../features/estimates/schema.ts'
import type {
  executionQuerySchema,
  executionSchema,
  extractInputSchema,
  pageReceiptSchema,
  pagesQuerySchema,
  startInputSchema,
  taskExecutionQuerySchema,
} from '../features/executions/schema.ts'
import type {
  createdKeySchema,
  keyInputSchema,
  keyQuerySchema,
  keySchema,
  revokeQuerySchema,
  revokedKeySchema,
} from '../features/keys/schema.ts'
import type { mediaItemSchema } from '../features/media/schema.ts'
import type { planSchema } from '../features/plan-steps/schema.ts'
import type {
  previewInputSchema,
  previewSchema,
  taskPreviewInputSchema,
} from '../features/previews/schema.ts'
import type { resultsQuerySchema, resultsSchema } from '../features/results/schema.ts'
import type { scheduleStateSchema } from '../features/schedules/schema.ts'
import type {
  taskDeletedSchema,
  taskInputSchema,
  taskPatchSchema,
  taskQuerySchema,
  taskSchema,
} from '../features/tasks/schema.ts'
import type {
  categorySchema,
  templatePreviewSchema,
  templateQuerySchema,
  templateRunSchema,
  templateSchema,
  templateSummarySchema,
  templateTaskSchema,
} from '../features/templates/schema.ts'
import type {
  deliveryQuerySchema,
  deliverySchema,
  rotateInputSchema,
  webhookDeletedSchema,
  webhookInputSchema,
  webhookPatchSchema,
  webhookQuerySchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../features/webhooks/schema.ts'
import type { Asked, Received, Sent } from './from-schema.ts'

/** Given by `billing.activity`. */
export type Activity = Received<typeof activitySchema>

/** Given by `mcp.call`, `mcp.get`. */
export type AgenticExecution = Received<typeof agenticExecutionSchema>

/** Body of `mcp.call`. */
export type AgenticInput = Sent<typeof agenticInputSchema>

/** Given by `billing.balance`. */
export type Balance = Received<typeof balanceSchema>

/** Query of `billing.activity`, `billing.statements`. */
export type BillingListQuery = Asked<typeof billingListQuerySchema>

/** Given by `billing.usage`. */
export type BillingUsage = Received<typeof billingUsageSchema>

/** Query of `billing.usage`. */
export type BillingUsageQuery = Asked<typeof billingUsageQuerySchema>

/** Given by `templates.categories`. */
export type Category = Received<typeof categorySchema>

/** Given by `datasets.changes`. */
export type Changes = Received<typeof changesSchema>

/** Query of `datasets.changes`. */
export type ChangesQuery = Asked<typeof changesQuerySchema>

/** Given by `keys.create`. */
export type CreatedKey = Received<typeof createdKeySchema>

/** Given by `datasets.create`, `datasets.list`, `datasets.get`, `datasets.update`. */
export type Dataset = Received<typeof datasetSchema>

/** Given by `datasets.delete`. */
export type DatasetDeleted = Received<typeof datasetDeletedSchema>

/** Query of `datasets.export`. */
export type DatasetExportQuery = Asked<typeof datasetExportQuerySchema>

/** Body of `datasets.create`. */
export type DatasetInput = Sent<typeof datasetInputSchema>

/** Body of `datasets.update`. */
export type DatasetPatch = Sent<typeof datasetPatchSchema>

/** Query of `datasets.list`. */
export type DatasetQuery = Asked<typeof datasetQuerySchema>

/** Given by `webhooks.test`, `webhooks.deliveries`, `webhooks.redeliver`. */
export type Delivery = Received<typeof deliverySchema>

/** Query of `webhooks.deliveries`. */
export type DeliveryQuery = Asked<typeof deliveryQuerySchema>

/** Given by `billing.ledger`. */
export type Entry = Received<typeof entrySchema>

/** Query of `billing.ledger`. */
export type EntryQuery = Asked<typeof entryQuerySchema>

/** Given by `estimates.recipe`, `estimates.task`. */
export type Estimate = Received<typeof estimateSchema>

/** Body of `estimates.recipe`. */
export type EstimateInput = Sent<typeof estimateInputSchema>

/**
 * Given by `executions.start`, `executions.listOfTask`, `executions.list`, `executions.get`,
 * `executions.cancel`, `executions.pause`, `executions.resume`, `executions.retry`,
 * `executions.extract`, `templates.run`.
 */
export type Execution = Received<typeof executionSchema>

/** Query of `executions.list`. */
export type ExecutionQuery = Asked<typeof executionQuerySchema>

/** Given by `analytics.executions`. */
export type ExecutionUsage = Received<typeof executionUsageSchema>

/** Query of `results.export`, `results.download`. */
export type ExportQuery = Asked<typeof exportQuerySchema>

/** Body of `executions.extract`. */
export type ExtractInput = Sent<typeof extractInputSchema>

/** Given by `datasets.items`. */
export type Items = Received<typeof itemsSchema>

/** Query of `datasets.items`. */
export type ItemsQuery = Asked<typeof itemsQuerySchema>

/** Given by `keys.list`. */
export type Key = Received<typeof keySchema>

/** Body of `keys.create`. */
export type KeyInput = Sent<typeof keyInputSchema>

/** Query of `keys.list`. */
export type KeyQuery = Asked<typeof keyQuerySchema>

/** Given by `media.get`. */
export type MediaItem = Received<typeof mediaItemSchema>

/** Given by `executions.pages`. */
export type PageReceipt = Received<typeof pageReceiptSchema>

/** Query of `executions.pages`. */
export type PagesQuery = Asked<typeof pagesQuerySchema>

/** Query of `analytics.summary`, `analytics.executions`. */
export type PeriodQuery = Asked<typeof periodQuerySchema>

/** Given by `executions.planSteps`. */
export type Plan = Received<typeof planSchema>

/** Given by `billing.plans`. */
export type Plans = Received<typeof plansSchema>

/** Given by `previews.recipe`, `previews.task`, `templates.preview`. */
export type Preview = Received<typeof previewSchema>

/** Body of `previews.recipe`. */
export type PreviewInput = Sent<typeof previewInputSchema>

/** Given by `results.list`. */
export type Results = Received<typeof resultsSchema>

/** Query of `results.list`. */
export type ResultsQuery = Asked<typeof resultsQuerySchema>

/** Query of `keys.revoke`. */
export type RevokeQuery = Asked<typeof revokeQuerySchema>

/** Given by `keys.revoke`. */
export type RevokedKey = Received<typeof revokedKeySchema>

/** Body of `webhooks.rotate`. */
export type RotateInput = Sent<typeof rotateInputSchema>

/** Given by `tasks.schedule`. */
export type ScheduleState = Received<typeof scheduleStateSchema>

/** Query of `analytics.series`, `analytics.task`. */
export type SeriesQuery = Asked<typeof seriesQuerySchema>

/** Body of `estimates.task`, `executions.start`. */
export type StartInput = Sent<typeof startInputSchema>

/** Given by `billing.statements`. */
export type Statement = Received<typeof statementSchema>

/** Given by `billing.statement`. */
export type StatementPage = Received<typeof statementPageSchema>

/** Query of `billing.statement`. */
export type StatementQuery = Asked<typeof statementQuerySchema>

/** Given by `billing.subscription`, `billing.subscribe`. */
export type Subscription = Received<typeof subscriptionSchema>

/** Body of `billing.subscribe`. */
export type SubscriptionInput = Sent<typeof subscriptionInputSchema>

/** Given by `tasks.create`, `tasks.list`, `tasks.get`, `tasks.update`, `templates.save`. */
export type Task = Received<typeof taskSchema>

/** Given by `analytics.task`. */
export type TaskAnalytics = Received<typeof taskAnalyticsSchema>

/** Given by `tasks.delete`. */
export type TaskDeleted = Received<typeof taskDeletedSchema>

/** Query of `executions.listOfTask`. */
export type TaskExecutionQuery = Asked<typeof taskExecutionQuerySchema>

/** Body of `tasks.create`. */
export type TaskInput = Sent<typeof taskInputSchema>

/** Body of `tasks.update`. */
export type TaskPatch = Sent<typeof taskPatchSchema>

/** Body of `previews.task`. */
export type TaskPreviewInput = Sent<typeof taskPreviewInputSchema>

/** Query of `tasks.list`. */
export type TaskQuery = Asked<typeof taskQuerySchema>

/** Given by `analytics.tasks`. */
export type TaskUsage = Received<typeof taskUsageSchema>

/** Query of `analytics.tasks`. */
export type TasksUsageQuery = Asked<typeof tasksUsageQuerySchema>

/** Given by `templates.get`. */
export type Template = Received<typeof templateSchema>

/** Body of `templates.preview`. */
export type TemplatePreview = Sent<typeof templatePreviewSchema>

/** Query of `templates.list`. */
export type TemplateQuery = Asked<typeof templateQuerySchema>

/** Body of `templates.run`. */
export type TemplateRun = Sent<typeof templateRunSchema>

/** Given by `templates.list`. */
export type TemplateSummary = Received<typeof templateSummarySchema>

/** Body of `templates.save`. */
export type TemplateTask = Sent<typeof templateTaskSchema>

/** Given by `mcp.tools`. */
export type Tool = Received<typeof toolSchema>

/** Given by `billing.topUp`, `billing.getTopUp`. */
export type TopUp = Received<typeof topUpSchema>

/** Body of `billing.topUp`. */
export type TopUpInput = Sent<typeof topUpInputSchema>

/** Given by `analytics.series`. */
export type UsageSeries = Received<typeof usageSeriesSchema>

/** Given by `analytics.summary`. */
export type UsageSummary = Received<typeof usageSummarySchema>

/** Given by `webhooks.list`, `webhooks.get`, `webhooks.update`. */
export type Webhook = Received<typeof webhookSchema>

/** Given by `webhooks.delete`. */
export type WebhookDeleted = Received<typeof webhookDeletedSchema>

/** Body of `webhooks.create`. */
export type WebhookInput = Sent<typeof webhookInputSchema>

/** Body of `webhooks.update`. */
export type WebhookPatch = Sent<typeof webhookPatchSchema>

/** Query of `webhooks.list`. */
export type WebhookQuery = Asked<typeof webhookQuerySchema>

/** Given by `webhooks.create`, `webhooks.rotate`. */
export type WebhookWithSecret = Received<typeof webhookWithSecretSchema>
