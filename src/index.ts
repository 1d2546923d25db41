/**
 * Seine: a web-data extraction platform as a library.
 *
 * @module
 */
export { createPlatform } from './platform/platform.ts'
export type { MediaOptions, Platform, PlatformApi, PlatformOptions } from './platform/options.ts'
export { createMcpHandler } from './mcp/handler.ts'
export type { McpHandler, McpHandlerOptions } from './mcp/handler.ts'
export type { OriginRules } from './mcp/origin.ts'
export type { EndpointOptions } from './mcp/endpoint.ts'
export type { AuthorizationOptions } from './mcp/resource-metadata.ts'
export type { McpOptions } from './platform/mcp.ts'
export type { ToolChoice } from './mcp/tool-names.ts'
export type { AgenticCall } from './features/agentic/answers.ts'
export type { AgenticExecution } from './features/agentic/call-answer.ts'
export type {
  Agentic,
  AgenticCallQuery,
  AgenticContext,
  AgenticInput,
  AgentRetention,
} from './features/agentic/service.ts'
export type { ToolProgress } from './features/agentic/runs.ts'
export type { ListedTool } from './features/agentic/tool-list.ts'
export type { ToolHints, ToolName } from './features/agentic/tool-schema.ts'
export { PlatformError } from './kernel/errors.ts'
export type { ErrorCode, Issue, LimitFacts, PlatformErrorOptions } from './kernel/errors.ts'
export type { Json, JsonObject, Row } from './kernel/json.ts'
export type { EffectWrite, Preconditions } from './kernel/preconditions.ts'
export type { Counted, CountedQuery, ListPage, ListQuery } from './features/common/list-page.ts'
export type { CreatedQuery } from './features/common/list-records.ts'
export type { ListOrder } from './features/common/timed-records.ts'
export type { RangeQuery } from './features/common/time-range.ts'
export type { Audit, AuditFilter } from './features/audit/service.ts'
export type { AuditLogEntry } from './features/audit/answers.ts'
export type { Myself } from './features/me/service.ts'
export type { Me } from './features/me/answers.ts'
export type { Principal, RateService } from './kernel/http/route.ts'
export type { NormalUrl } from './kernel/url.ts'
export { SCOPES } from './kernel/scope.ts'
export type { Scope } from './kernel/scope.ts'
export type { Handlers } from './http/surfaces.ts'
export type { HttpHandler } from './http/handler.ts'
export type { Forwarded } from './kernel/http/base-url.ts'
export type { HttpContext } from './kernel/http/message.ts'
export type {
  Incoming,
  LazyRequest,
  Outgoing,
  Reply,
  RequestHeaders,
} from './kernel/http/message.ts'
export type { CorsOptions } from './http/cors.ts'
export type { RateCounter, Rates } from './http/rate-limit.ts'
export type { LegacyBodies } from './http/legacy-bodies.ts'
export type { OpenApiInfo } from './http/openapi/types.ts'
export { parseRecipe, defineRecipe } from './engine/recipe/parse-recipe.ts'
export type { Recipe } from './engine/recipe/schema.ts'
export type { MeasuredSize } from './engine/recipe/measure-recipe.ts'
export type { ParsedRecipe } from './engine/recipe/parse-recipe.ts'
export type { RecipeFacts } from './engine/recipe/recipe-facts.ts'
export type { Checked } from './kernel/schema.ts'
export type { ValueType } from './engine/recipe/field-schema.ts'
export type {
  ExtractRules,
  Extraction,
  Field,
  FieldSource,
  Fields,
  PageAction,
  PatternReplacement,
  RecipeInput,
  RecipeParam,
  RecipeParams,
  Replacement,
  SearchInput,
  StartSearchOptions,
  Transform,
  TransformStep,
  ValueFormat,
  ValueReading,
} from './engine/recipe/recipe-input.ts'
export type { MediaPath } from './engine/recipe/columns.ts'
export type { ScheduleState, Schedules } from './features/schedules/service.ts'
export type { Schedule, TickOutcome } from './features/schedules/records.ts'
export type { TaskInput, TaskPatch, Tasks } from './features/tasks/service.ts'
export type { ListedTask, Task, TaskQuery } from './features/tasks/task.ts'
export type { DriftPolicy, TaskStatus } from './features/tasks/records.ts'
export type { RepairInput } from './features/tasks/repair.ts'
export type { ExecutionQuery, Executions, RunInput } from './features/executions/service.ts'
export type { PageOutcome, PageReceipt, PagesQuery } from './features/executions/receipt.ts'
export type { PageVisit } from './features/executions/page-visit.ts'
export type { RetryInput } from './features/executions/run-again.ts'
export type { ParamValues } from './engine/recipe/fill-blanks.ts'
export type { StartInput } from './features/recipes/service.ts'
export type { TaskFiles } from './features/task-files/service.ts'
export type {
  TaskFile,
  TaskImport,
  TaskImportItem,
  TaskImportOptions,
} from './features/task-files/task-file.ts'
export type { CostEstimate, Estimates } from './features/estimates/service.ts'
export type { Counters, Execution } from './features/executions/execution.ts'
export type {
  Caller,
  Drift,
  ExecutionStatus,
  KeptCounts,
  ModelCounts,
  Outcome,
  Reason,
  StartList,
} from './features/executions/records.ts'
export type {
  FieldRelocation,
  Relocation,
  RelocationReason,
  RelocationSample,
} from './features/executions/relocation.ts'
export type { ExtractInput } from './features/executions/kept-pages.ts'
export type { ExportFile } from './features/common/downloads.ts'
export type {
  Dataset,
  DatasetChange,
  DatasetItem,
  ItemOrigin,
  DatasetRetention,
} from './features/datasets/dataset.ts'
export type { ItemFilter } from './features/datasets/items.ts'
export type { ChangeKind, GonePolicy, MergeCounts } from './features/datasets/records.ts'
export type {
  ChangesPage,
  ChangesQuery,
  DatasetExportQuery,
  DatasetInput,
  DatasetPatch,
  Datasets,
  ItemsPage,
  ItemsQuery,
} from './features/datasets/service.ts'
export type { ExportQuery, Results, ResultsPage, ResultsQuery } from './features/results/service.ts'
export type {
  ApiKey,
  CreatedKey,
  KeyInput,
  Keys,
  RevokeOptions,
  RevokedKey,
} from './features/keys/service.ts'
export type { MediaLimits } from './crawl/limits.ts'
export type { LinkBase, Media, MediaFile, MediaItem } from './features/media/service.ts'
export type { PreviewInput, Previews, TaskPreviewInput } from './features/previews/service.ts'
export type {
  DetectOptions,
  FieldReport,
  Preview,
  PreviewPage,
  PreviewWarning,
  Proposal,
  ProposalSample,
  RuleReport,
  SourceOnPage,
  SourceReport,
  ConvertedOnPage,
} from './features/previews/preview.ts'
export type { SnapshotFile } from './features/snapshots/files.ts'
export type { PageToKeep, Snapshot, Snapshots } from './features/snapshots/service.ts'
export type { Caps } from './features/ledger/plans.ts'
export type { ShareOptions, SharesOptions } from './features/limits/shares.ts'
export type { PreviewLimits } from './features/previews/quotas.ts'
export type { PlanSteps } from './features/plan-steps/service.ts'
export type { PlanStep, StepKind, StepState } from './features/plan-steps/plan-steps.ts'
export type {
  Analytics,
  ExecutionUsage,
  UsagePeriod,
  UsageSeries,
  UsageSeriesQuery,
  UsageSummary,
} from './features/analytics/service.ts'
export type { Granularity, PeriodQuery } from './features/analytics/period.ts'
export type {
  FillRates,
  TaskAnalytics,
  TaskDrift,
  TaskUsage,
} from './features/analytics/task-usage.ts'
export type {
  Durations,
  ExecutionEnds,
  UsageSeriesPoint,
  UsageTotals,
} from './features/analytics/totals.ts'
export type { Balance } from './features/billing/balance.ts'
export type { Billing, Plans } from './features/billing/service.ts'
export type { Activity } from './features/billing/activity.ts'
export type { EntryQuery } from './features/billing/entries.ts'
export type { BillingEntry } from './features/billing/entries.ts'
export type { Plan } from './features/billing/plan.ts'
export type { Statement, StatementPage } from './features/billing/statements.ts'
export type { StatementFormat } from './features/billing/statement-file.ts'
export type { Subscription, SubscriptionInput } from './features/billing/subscription.ts'
export type { PurchasedCredits, TopUpInput } from './features/billing/top-ups.ts'
export type { BillingUsage } from './features/billing/usage.ts'
export type {
  CallerKind,
  CallerUsage,
  CallerUsageLine,
  UsedAmounts,
  UsedByDay,
} from './features/billing/caller-usage.ts'
export type { Adjustment, Refund } from './features/ledger/corrections.ts'
export type { PlanAccess, PlanDefinition, Tariff } from './features/ledger/plans.ts'
export type { PriceTable } from './kernel/price.ts'
export type { CreditAccount, Credits, EntryKind } from './features/ledger/records.ts'
export type { TopUpStatus } from './features/billing/records.ts'
export type {
  AskModelEndpoint,
  Model,
  ModelAnswer,
  ModelEndpointAnswer,
  ModelEndpointOptions,
  ModelFactory,
  ModelRequest,
  ModelServices,
} from './ports/model.ts'
export { ModelFailure } from './kernel/failures.ts'
export type { ModelFailureReason } from './kernel/failures.ts'
export type { ModelLimits } from './engine/model/model-reader.ts'
export type { MailMessage, MailRefusal, Mailer } from './ports/mailer.ts'
export type { Payments, TopUpOrder, TopUpPlaced } from './ports/payments.ts'
export type { EventType } from './features/common/events.ts'
export type {
  DisabledReason,
  DeliveryAttempt,
  DeliveryStatus,
} from './features/webhooks/records.ts'
export type { DeliveryLog, DeliveryQuery } from './features/webhooks/delivery-log.ts'
export type { WebhookDelivery } from './features/webhooks/delivery.ts'
export type {
  Difference,
  VerifyArea,
  VerifyCheck,
  VerifyReport,
} from './features/verify/findings.ts'
export type { HealthCheck, HealthReport } from './platform/health.ts'
export type { VerifyOptions } from './features/verify/service.ts'
export type { Webhook } from './features/webhooks/webhook.ts'
export type {
  WebhookInput,
  WebhookPatch,
  WebhookWithSecret,
  Webhooks,
} from './features/webhooks/service.ts'
export { defineTemplate } from './features/templates/template.ts'
export type {
  ColumnType,
  Template,
  TemplateColumn,
  TemplateDefinition,
} from './features/templates/template.ts'
export type {
  TemplateDetails,
  TemplateSummary,
  TemplatesOption,
} from './features/templates/prepare-templates.ts'
export type {
  TemplatePreview,
  TemplateQuery,
  TemplateRun,
  TemplateTask,
  Templates,
} from './features/templates/service.ts'
export type {
  AccountStatus,
  Authenticator,
  AuthenticatorFactory,
  AuthenticatorServices,
  DocumentOptions,
  MayRunSchedule,
} from './ports/authenticator.ts'
export type {
  Attributes,
  Metric,
  Observation,
  Span,
  SpanKind,
  SpanStart,
  Telemetry,
  TraceContext,
} from './ports/telemetry.ts'
export type { Blobs } from './ports/blobs.ts'
export type {
  Browser,
  BrowserAction,
  BrowserAnswer,
  BrowserRequest,
  RenderRequest,
  RenderedPage,
} from './ports/browser.ts'
export type { Clock, RandomBytes } from './ports/clock.ts'
export type { Fetcher, HopRequest, HopResponse, HopTimings } from './ports/fetcher.ts'
export type { Limiter, Rate, Taken } from './ports/limiter.ts'
export type { Logger } from './ports/logger.ts'
export { createConsoleLogger } from './defaults/console-logger.ts'
export type { ConsoleLoggerOptions, LogLevel } from './defaults/console-logger.ts'
export { createJsonLogger } from './defaults/json-logger.ts'
export type { JsonLoggerOptions } from './defaults/json-logger.ts'
export type { OpenRows, RowBlock, RowsPart, RowsQuestion, RowsSpec } from './ports/row-work.ts'
export type {
  FoundLink,
  OpenOptions,
  OpenPages,
  OpenRecipe,
  Page,
  PageProcessor,
  PageQuestion,
  PageRelocation,
  PageResult,
  RelocatedItems,
  LocatedSource,
  SoughtRows,
  SourceRun,
  Visit,
} from './ports/page-processor.ts'
export type {
  ConsumeOptions,
  Delivery,
  Job,
  JobHandler,
  JobResult,
  JobTurn,
  Lane,
  Queue,
  QueueBacklog,
} from './ports/queue.ts'
export type {
  AskSearchService,
  SearchProvider,
  SearchProviderFactory,
  SearchServiceOptions,
  SearchServices,
  WebSearchHit,
} from './ports/search-provider.ts'
export { FetchFailure, SearchFailure, StoreFailure } from './kernel/failures.ts'
export type {
  FetchFailureReason,
  SearchFailureReason,
  StoreFailureReason,
} from './kernel/failures.ts'
export type { Commit, Entry, Range, SnapshotEntry, Store } from './ports/store.ts'
export type { Key, KeyPart } from './kernel/key.ts'
export type { Worker } from './worker/worker.ts'
