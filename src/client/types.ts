// Made from the route table: do not edit. After a change of routes or schemas: npm run client
import type {
  agenticCallSchema,
  agenticExecutionSchema,
  toolSchema,
} from '../features/agentic/answers.ts'
import type { agenticInputSchema, agenticQuerySchema } from '../features/agentic/schema.ts'
import type {
  executionUsageSchema,
  taskAnalyticsSchema,
  taskUsageSchema,
  usageSeriesSchema,
  usageSummarySchema,
} from '../features/analytics/answers.ts'
import type {
  periodQuerySchema,
  seriesQuerySchema,
  tasksUsageQuerySchema,
} from '../features/analytics/schema.ts'
import type { auditEntrySchema } from '../features/audit/answers.ts'
import type { auditExportQuerySchema, auditQuerySchema } from '../features/audit/schema.ts'
import type {
  activitySchema,
  balanceSchema,
  billingUsageSchema,
  callerUsageSchema,
  entrySchema,
  plansSchema,
  statementPageSchema,
  statementSchema,
  subscriptionSchema,
  topUpSchema,
} from '../features/billing/answers.ts'
import type {
  billingListQuerySchema,
  billingUsageQuerySchema,
  callerUsageQuerySchema,
  entryQuerySchema,
  statementQuerySchema,
  subscriptionInputSchema,
  topUpInputSchema,
} from '../features/billing/schema.ts'
import type {
  changesSchema,
  datasetDeletedSchema,
  datasetSchema,
  itemsSchema,
} from '../features/datasets/answers.ts'
import type {
  changesQuerySchema,
  datasetExportQuerySchema,
  datasetInputSchema,
  datasetPatchSchema,
  datasetQuerySchema,
  itemsQuerySchema,
} from '../features/datasets/schema.ts'
import type { estimateSchema } from '../features/estimates/answers.ts'
import type { estimateInputSchema } from '../features/estimates/schema.ts'
import type {
  executionDeletedSchema,
  executionSchema,
  pageReceiptSchema,
} from '../features/executions/answers.ts'
import type {
  executionQuerySchema,
  extractInputSchema,
  pagesQuerySchema,
  retryInputSchema,
  runInputSchema,
  startInputSchema,
  taskExecutionQuerySchema,
} from '../features/executions/schema.ts'
import type { createdKeySchema, keySchema, revokedKeySchema } from '../features/keys/answers.ts'
import type { keyInputSchema, keyQuerySchema, revokeQuerySchema } from '../features/keys/schema.ts'
import type { meSchema } from '../features/me/answers.ts'
import type { mediaDeletedSchema, mediaItemSchema } from '../features/media/answers.ts'
import type { mediaQuerySchema } from '../features/media/schema.ts'
import type { planSchema } from '../features/plan-steps/answers.ts'
import type { previewSchema } from '../features/previews/answers.ts'
import type {
  explainQuerySchema,
  previewInputSchema,
  taskPreviewInputSchema,
} from '../features/previews/schema.ts'
import type { resultsSchema } from '../features/results/answers.ts'
import type { exportQuerySchema, resultsQuerySchema } from '../features/results/schema.ts'
import type { scheduleStateSchema } from '../features/schedules/answers.ts'
import type {
  candidatesSchema,
  snapshotFilesSchema,
  snapshotSchema,
} from '../features/snapshots/answers.ts'
import type { filesQuerySchema, pointInputSchema } from '../features/snapshots/schema.ts'
import type { taskImportSchema } from '../features/task-files/answers.ts'
import type { importQuerySchema, taskFileSchema } from '../features/task-files/schema.ts'
import type { listedTaskSchema, taskDeletedSchema, taskSchema } from '../features/tasks/answers.ts'
import type {
  repairInputSchema,
  taskInputSchema,
  taskPatchSchema,
  taskQuerySchema,
} from '../features/tasks/schema.ts'
import type {
  categorySchema,
  templateSchema,
  templateSummarySchema,
} from '../features/templates/answers.ts'
import type {
  templatePreviewSchema,
  templateQuerySchema,
  templateRunSchema,
  templateTaskSchema,
} from '../features/templates/schema.ts'
import type {
  webhookDeletedSchema,
  webhookDeliverySchema,
  webhookSchema,
  webhookWithSecretSchema,
} from '../features/webhooks/answers.ts'
import type {
  confirmInputSchema,
  deliveryQuerySchema,
  rotateInputSchema,
  webhookInputSchema,
  webhookPatchSchema,
  webhookQuerySchema,
} from '../features/webhooks/schema.ts'
import type { Asked, Received, Sent } from './from-schema.ts'

/** Given by `billing.activity`. */
export type Activity = Received<typeof activitySchema>

/** Given by `mcp.list`. */
export type AgenticCall = Received<typeof agenticCallSchema>

/** Given by `mcp.call`, `mcp.get`. */
export type AgenticExecution = Received<typeof agenticExecutionSchema>

/** Body of `mcp.call`. */
export type AgenticInput = Sent<typeof agenticInputSchema>

/** Query of `mcp.list`. */
export type AgenticQuery = Asked<typeof agenticQuerySchema>

/** Given by `audit.list`. */
export type AuditEntry = Received<typeof auditEntrySchema>

/** Query of `audit.export`. */
export type AuditExportQuery = Asked<typeof auditExportQuerySchema>

/** Query of `audit.list`. */
export type AuditQuery = Asked<typeof auditQuerySchema>

/** Given by `billing.balance`. */
export type Balance = Received<typeof balanceSchema>

/** Query of `billing.activity`, `billing.statements`, `billing.topUps`. */
export type BillingListQuery = Asked<typeof billingListQuerySchema>

/** Given by `billing.usage`, `operator.usage`. */
export type BillingUsage = Received<typeof billingUsageSchema>

/** Query of `billing.usage`. */
export type BillingUsageQuery = Asked<typeof billingUsageQuerySchema>

/** Given by `billing.callers`. */
export type CallerUsage = Received<typeof callerUsageSchema>

/** Query of `billing.callers`. */
export type CallerUsageQuery = Asked<typeof callerUsageQuerySchema>

/** Given by `snapshots.point`. */
export type Candidates = Received<typeof candidatesSchema>

/** Given by `templates.categories`. */
export type Category = Received<typeof categorySchema>

/** Given by `datasets.changes`. */
export type Changes = Received<typeof changesSchema>

/** Query of `datasets.changes`. */
export type ChangesQuery = Asked<typeof changesQuerySchema>

/** Body of `webhooks.confirm`. */
export type ConfirmInput = Sent<typeof confirmInputSchema>

/** Given by `keys.create`, `operator.createKey`. */
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

/** Query of `webhooks.deliveries`. */
export type DeliveryQuery = Asked<typeof deliveryQuerySchema>

/** Given by `billing.ledger`, `operator.adjust`. */
export type Entry = Received<typeof entrySchema>

/** Query of `billing.ledger`. */
export type EntryQuery = Asked<typeof entryQuerySchema>

/** Given by `estimates.recipe`, `estimates.task`. */
export type Estimate = Received<typeof estimateSchema>

/** Body of `estimates.recipe`. */
export type EstimateInput = Sent<typeof estimateInputSchema>

/**
 * Given by `executions.start`, `executions.listOfTask`, `executions.run`, `executions.list`,
 * `executions.get`, `executions.cancel`, `executions.pause`, `executions.resume`,
 * `executions.retry`, `executions.deleteRows`, `executions.deleteMedia`, `executions.extract`,
 * `operator.release`, `operator.cancel`, `templates.run`.
 */
export type Execution = Received<typeof executionSchema>

/** Given by `executions.delete`. */
export type ExecutionDeleted = Received<typeof executionDeletedSchema>

/** Query of `executions.list`. */
export type ExecutionQuery = Asked<typeof executionQuerySchema>

/** Given by `analytics.executions`. */
export type ExecutionUsage = Received<typeof executionUsageSchema>

/** Query of `executions.explain`. */
export type ExplainQuery = Asked<typeof explainQuerySchema>

/** Query of `results.export`, `results.download`. */
export type ExportQuery = Asked<typeof exportQuerySchema>

/** Body of `executions.extract`. */
export type ExtractInput = Sent<typeof extractInputSchema>

/** Query of `snapshots.files`. */
export type FilesQuery = Asked<typeof filesQuerySchema>

/** Query of `tasks.import`. */
export type ImportQuery = Asked<typeof importQuerySchema>

/** Given by `datasets.items`. */
export type Items = Received<typeof itemsSchema>

/** Query of `datasets.items`. */
export type ItemsQuery = Asked<typeof itemsQuerySchema>

/** Given by `keys.list`, `operator.keys`. */
export type Key = Received<typeof keySchema>

/** Body of `keys.create`. */
export type KeyInput = Sent<typeof keyInputSchema>

/** Query of `keys.list`. */
export type KeyQuery = Asked<typeof keyQuerySchema>

/** Given by `tasks.list`. */
export type ListedTask = Received<typeof listedTaskSchema>

/** Given by `me.get`. */
export type Me = Received<typeof meSchema>

/** Given by `media.delete`. */
export type MediaDeleted = Received<typeof mediaDeletedSchema>

/** Given by `media.list`, `media.get`. */
export type MediaItem = Received<typeof mediaItemSchema>

/** Query of `media.list`. */
export type MediaQuery = Asked<typeof mediaQuerySchema>

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

/** Body of `snapshots.point`. */
export type PointInput = Sent<typeof pointInputSchema>

/** Given by `executions.explain`, `previews.recipe`, `previews.task`, `templates.preview`. */
export type Preview = Received<typeof previewSchema>

/** Body of `previews.recipe`. */
export type PreviewInput = Sent<typeof previewInputSchema>

/** Body of `tasks.repair`. */
export type RepairInput = Sent<typeof repairInputSchema>

/** Given by `results.list`. */
export type Results = Received<typeof resultsSchema>

/** Query of `results.list`. */
export type ResultsQuery = Asked<typeof resultsQuerySchema>

/** Body of `executions.retry`. */
export type RetryInput = Sent<typeof retryInputSchema>

/** Query of `keys.revoke`. */
export type RevokeQuery = Asked<typeof revokeQuerySchema>

/** Given by `keys.revoke`, `operator.revokeKey`. */
export type RevokedKey = Received<typeof revokedKeySchema>

/** Body of `webhooks.rotate`. */
export type RotateInput = Sent<typeof rotateInputSchema>

/** Body of `executions.run`. */
export type RunInput = Sent<typeof runInputSchema>

/** Given by `tasks.schedule`. */
export type ScheduleState = Received<typeof scheduleStateSchema>

/** Query of `analytics.series`, `analytics.task`. */
export type SeriesQuery = Asked<typeof seriesQuerySchema>

/** Given by `snapshots.get`. */
export type Snapshot = Received<typeof snapshotSchema>

/** Given by `snapshots.files`. */
export type SnapshotFiles = Received<typeof snapshotFilesSchema>

/** Body of `estimates.task`, `executions.start`. */
export type StartInput = Sent<typeof startInputSchema>

/** Given by `billing.statements`. */
export type Statement = Received<typeof statementSchema>

/** Given by `billing.statement`. */
export type StatementPage = Received<typeof statementPageSchema>

/** Query of `billing.statement`. */
export type StatementQuery = Asked<typeof statementQuerySchema>

/** Given by `billing.subscription`, `billing.subscribe`, `operator.setPlan`. */
export type Subscription = Received<typeof subscriptionSchema>

/** Body of `billing.subscribe`. */
export type SubscriptionInput = Sent<typeof subscriptionInputSchema>

/** Given by `tasks.create`, `tasks.get`, `tasks.update`, `tasks.repair`, `templates.save`. */
export type Task = Received<typeof taskSchema>

/** Given by `analytics.task`. */
export type TaskAnalytics = Received<typeof taskAnalyticsSchema>

/** Given by `tasks.delete`. */
export type TaskDeleted = Received<typeof taskDeletedSchema>

/** Query of `executions.listOfTask`. */
export type TaskExecutionQuery = Asked<typeof taskExecutionQuerySchema>

/** Body of `tasks.import`. */
export type TaskFile = Sent<typeof taskFileSchema>

/** Given by `tasks.import`. */
export type TaskImport = Received<typeof taskImportSchema>

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

/** Given by `billing.topUp`, `billing.topUps`, `billing.getTopUp`. */
export type TopUp = Received<typeof topUpSchema>

/** Body of `billing.topUp`. */
export type TopUpInput = Sent<typeof topUpInputSchema>

/** Given by `analytics.series`. */
export type UsageSeries = Received<typeof usageSeriesSchema>

/** Given by `analytics.summary`. */
export type UsageSummary = Received<typeof usageSummarySchema>

/** Given by `webhooks.list`, `webhooks.get`, `webhooks.update`, `webhooks.confirm`. */
export type Webhook = Received<typeof webhookSchema>

/** Given by `webhooks.delete`. */
export type WebhookDeleted = Received<typeof webhookDeletedSchema>

/** Given by `webhooks.test`, `webhooks.deliveries`, `webhooks.redeliver`. */
export type WebhookDelivery = Received<typeof webhookDeliverySchema>

/** Body of `webhooks.create`. */
export type WebhookInput = Sent<typeof webhookInputSchema>

/** Body of `webhooks.update`. */
export type WebhookPatch = Sent<typeof webhookPatchSchema>

/** Query of `webhooks.list`. */
export type WebhookQuery = Asked<typeof webhookQuerySchema>

/** Given by `webhooks.create`, `webhooks.rotate`. */
export type WebhookWithSecret = Received<typeof webhookWithSecretSchema>
