// Made from the route table: do not edit. After a change of routes or schemas: npm run client
import type { Download } from './download.ts'
import type { ListPage } from './from-schema.ts'
import type { OperatorResource } from './operator.ts'
import type { CallOptions } from './options.ts'
import type {
  Activity,
  AgenticCall,
  AgenticExecution,
  AgenticInput,
  AgenticQuery,
  AuditEntry,
  AuditExportQuery,
  AuditQuery,
  Balance,
  BillingListQuery,
  BillingUsage,
  BillingUsageQuery,
  CallerUsage,
  CallerUsageQuery,
  Candidates,
  Category,
  Changes,
  ChangesQuery,
  ConfirmInput,
  CreatedKey,
  Dataset,
  DatasetDeleted,
  DatasetExportQuery,
  DatasetInput,
  DatasetPatch,
  DatasetQuery,
  DeliveryQuery,
  Entry,
  EntryQuery,
  Estimate,
  EstimateInput,
  Execution,
  ExecutionDeleted,
  ExecutionQuery,
  ExecutionUsage,
  ExplainQuery,
  ExportQuery,
  ExtractInput,
  FilesQuery,
  ImportQuery,
  Items,
  ItemsQuery,
  Key,
  KeyInput,
  KeyQuery,
  ListedTask,
  Me,
  MediaDeleted,
  MediaItem,
  MediaQuery,
  PageReceipt,
  PagesQuery,
  PeriodQuery,
  Plan,
  Plans,
  PointInput,
  Preview,
  PreviewInput,
  RepairInput,
  Results,
  ResultsQuery,
  RetryInput,
  RevokeQuery,
  RevokedKey,
  RotateInput,
  RunInput,
  ScheduleState,
  SeriesQuery,
  Snapshot,
  SnapshotFiles,
  StartInput,
  Statement,
  StatementPage,
  StatementQuery,
  Subscription,
  SubscriptionInput,
  Task,
  TaskAnalytics,
  TaskDeleted,
  TaskExecutionQuery,
  TaskFile,
  TaskImport,
  TaskInput,
  TaskPatch,
  TaskPreviewInput,
  TaskQuery,
  TaskUsage,
  TasksUsageQuery,
  Template,
  TemplatePreview,
  TemplateQuery,
  TemplateRun,
  TemplateSummary,
  TemplateTask,
  Tool,
  TopUp,
  TopUpInput,
  UsageSeries,
  UsageSummary,
  Webhook,
  WebhookDeleted,
  WebhookDelivery,
  WebhookInput,
  WebhookPatch,
  WebhookQuery,
  WebhookWithSecret,
} from './types.ts'

/** Operations of `mcp`. */
export interface McpResource {
  /** Lists the tools that the credential may use. */
  tools(options?: CallOptions): Promise<ListPage<Tool>>
  /** Lists the tools that the credential may use: all of them, page after page. */
  iterateTools(options?: CallOptions): AsyncGenerator<Tool, void, undefined>
  /** Calls a tool. */
  call(body: AgenticInput, options?: CallOptions): Promise<AgenticExecution>
  /** Lists the calls of tools, newest first. */
  list(query?: AgenticQuery, options?: CallOptions): Promise<ListPage<AgenticCall>>
  /** Lists the calls of tools, newest first: all of them, page after page. */
  iterate(query?: AgenticQuery, options?: CallOptions): AsyncGenerator<AgenticCall, void, undefined>
  /** Reads a call of a tool. */
  get(id: string, options?: CallOptions): Promise<AgenticExecution>
}

/** Operations of `analytics`. */
export interface AnalyticsResource {
  /** Sums up the usage of a period. */
  summary(query?: PeriodQuery, options?: CallOptions): Promise<UsageSummary>
  /** Reads usage as a time series. */
  series(query?: SeriesQuery, options?: CallOptions): Promise<UsageSeries>
  /** Sums up the executions of a period. */
  executions(query?: PeriodQuery, options?: CallOptions): Promise<ExecutionUsage>
  /** Lists the tasks with their usage, newest first. */
  tasks(query?: TasksUsageQuery, options?: CallOptions): Promise<ListPage<TaskUsage>>
  /** Lists the tasks with their usage, newest first: all of them, page after page. */
  iterateTasks(
    query?: TasksUsageQuery,
    options?: CallOptions,
  ): AsyncGenerator<TaskUsage, void, undefined>
  /** Reads the usage of a task, as sums and points, and the fill rates of its columns. */
  task(id: string, query?: SeriesQuery, options?: CallOptions): Promise<TaskAnalytics>
}

/** Operations of `audit`. */
export interface AuditResource {
  /** Lists the writes of the account, newest first. */
  list(query?: AuditQuery, options?: CallOptions): Promise<ListPage<AuditEntry>>
  /** Lists the writes of the account, newest first: all of them, page after page. */
  iterate(query?: AuditQuery, options?: CallOptions): AsyncGenerator<AuditEntry, void, undefined>
  /** Returns the writes of the account as a file. */
  export(query?: AuditExportQuery, options?: CallOptions): Promise<Download>
}

/** Operations of `billing`. */
export interface BillingResource {
  /** Reads the account's credits. */
  balance(options?: CallOptions): Promise<Balance>
  /** Lists the ledger entries, newest first. */
  ledger(query?: EntryQuery, options?: CallOptions): Promise<ListPage<Entry>>
  /** Lists the ledger entries, newest first: all of them, page after page. */
  iterateLedger(query?: EntryQuery, options?: CallOptions): AsyncGenerator<Entry, void, undefined>
  /** Lists the activity of the account's credits, newest first. */
  activity(query?: BillingListQuery, options?: CallOptions): Promise<ListPage<Activity>>
  /** Lists the activity of the account's credits, newest first: all of them, page after page. */
  iterateActivity(
    query?: BillingListQuery,
    options?: CallOptions,
  ): AsyncGenerator<Activity, void, undefined>
  /** Sums up how a month's credits were spent. */
  usage(query?: BillingUsageQuery, options?: CallOptions): Promise<BillingUsage>
  /** Sums up a month's usage by API key or by user. */
  callers(query?: CallerUsageQuery, options?: CallOptions): Promise<CallerUsage>
  /** Lists the plans and the price table. */
  plans(options?: CallOptions): Promise<Plans>
  /** Reads the account's plan and daily cap. */
  subscription(options?: CallOptions): Promise<Subscription>
  /** Sets the account's plan and daily cap. */
  subscribe(body: SubscriptionInput, options?: CallOptions): Promise<Subscription>
  /** Lists the statements, newest first. */
  statements(query?: BillingListQuery, options?: CallOptions): Promise<ListPage<Statement>>
  /** Lists the statements, newest first: all of them, page after page. */
  iterateStatements(
    query?: BillingListQuery,
    options?: CallOptions,
  ): AsyncGenerator<Statement, void, undefined>
  /** Reads a month's statement. */
  statement(id: string, query?: StatementQuery, options?: CallOptions): Promise<StatementPage>
  /** Reads a month's statement. */
  statementFile(id: string, query?: StatementQuery, options?: CallOptions): Promise<Download>
  /** Buys credits. */
  topUp(body: TopUpInput, options?: CallOptions): Promise<TopUp>
  /** Lists top-ups, newest first. */
  topUps(query?: BillingListQuery, options?: CallOptions): Promise<ListPage<TopUp>>
  /** Lists top-ups, newest first: all of them, page after page. */
  iterateTopUps(
    query?: BillingListQuery,
    options?: CallOptions,
  ): AsyncGenerator<TopUp, void, undefined>
  /** Reads the state of a top-up. */
  getTopUp(id: string, options?: CallOptions): Promise<TopUp>
}

/** Operations of `datasets`. */
export interface DatasetsResource {
  /** Creates a dataset. */
  create(body: DatasetInput, options?: CallOptions): Promise<Dataset>
  /** Lists datasets, newest first. */
  list(query?: DatasetQuery, options?: CallOptions): Promise<ListPage<Dataset>>
  /** Lists datasets, newest first: all of them, page after page. */
  iterate(query?: DatasetQuery, options?: CallOptions): AsyncGenerator<Dataset, void, undefined>
  /** Reads a dataset. */
  get(id: string, options?: CallOptions): Promise<Dataset>
  /** Changes a dataset. */
  update(id: string, body: DatasetPatch, options?: CallOptions): Promise<Dataset>
  /** Deletes a dataset with its items and changes. */
  delete(id: string, options?: CallOptions): Promise<DatasetDeleted>
  /** Lists the items of a dataset. */
  items(id: string, query?: ItemsQuery, options?: CallOptions): Promise<Items>
  /** Lists the items of a dataset: all of them, page after page. */
  iterateItems(
    id: string,
    query?: ItemsQuery,
    options?: CallOptions,
  ): AsyncGenerator<Items['items'][number], void, undefined>
  /** Reads the feed of changes. */
  changes(id: string, query?: ChangesQuery, options?: CallOptions): Promise<Changes>
  /** Exports the items of a dataset as a file. */
  export(id: string, query?: DatasetExportQuery, options?: CallOptions): Promise<Download>
}

/** Operations of `estimates`. */
export interface EstimatesResource {
  /** Estimates the cost of a recipe. */
  recipe(body: EstimateInput, options?: CallOptions): Promise<Estimate>
  /** Estimates the cost of an execution of a task. */
  task(id: string, body?: StartInput, options?: CallOptions): Promise<Estimate>
}

/** Operations of `executions`. */
export interface ExecutionsResource {
  /** Starts an execution of a task. */
  start(id: string, body?: StartInput, options?: CallOptions): Promise<Execution>
  /** Lists the executions of a task, newest first. */
  listOfTask(
    id: string,
    query?: TaskExecutionQuery,
    options?: CallOptions,
  ): Promise<ListPage<Execution>>
  /** Lists the executions of a task, newest first: all of them, page after page. */
  iterateOfTask(
    id: string,
    query?: TaskExecutionQuery,
    options?: CallOptions,
  ): AsyncGenerator<Execution, void, undefined>
  /** Starts an execution of a recipe without a task. */
  run(body: RunInput, options?: CallOptions): Promise<Execution>
  /** Lists executions, newest first. */
  list(query?: ExecutionQuery, options?: CallOptions): Promise<ListPage<Execution>>
  /** Lists executions, newest first: all of them, page after page. */
  iterate(query?: ExecutionQuery, options?: CallOptions): AsyncGenerator<Execution, void, undefined>
  /** Reads an execution with its counters. */
  get(id: string, options?: CallOptions): Promise<Execution>
  /** Cancels an execution. */
  cancel(id: string, options?: CallOptions): Promise<Execution>
  /** Pauses an execution. */
  pause(id: string, options?: CallOptions): Promise<Execution>
  /** Queues a paused execution again. */
  resume(id: string, options?: CallOptions): Promise<Execution>
  /** Starts a finished execution again. */
  retry(id: string, body?: RetryInput, options?: CallOptions): Promise<Execution>
  /** Deletes a finished execution with its rows, pages and page report. */
  delete(id: string, options?: CallOptions): Promise<ExecutionDeleted>
  /** Deletes the rows of a finished execution, and keeps the execution. */
  deleteRows(id: string, options?: CallOptions): Promise<Execution>
  /** Deletes the media that the rows of a finished execution name. */
  deleteMedia(id: string, options?: CallOptions): Promise<Execution>
  /** Runs a changed recipe over the pages that a finished execution has kept. */
  extract(id: string, body: ExtractInput, options?: CallOptions): Promise<Execution>
  /** Lists every URL of an execution with its outcome. */
  pages(id: string, query?: PagesQuery, options?: CallOptions): Promise<ListPage<PageReceipt>>
  /** Lists every URL of an execution with its outcome: all of them, page after page. */
  iteratePages(
    id: string,
    query?: PagesQuery,
    options?: CallOptions,
  ): AsyncGenerator<PageReceipt, void, undefined>
  /** Lists the steps of an execution's plan, with state and counts. */
  planSteps(id: string, options?: CallOptions): Promise<Plan>
  /** Explains what the recipe of an execution found on one of its pages. */
  explain(id: string, query: ExplainQuery, options?: CallOptions): Promise<Preview>
}

/** Operations of `keys`. */
export interface KeysResource {
  /** Creates an API key; its secret is shown once. */
  create(body: KeyInput, options?: CallOptions): Promise<CreatedKey>
  /** Lists API keys, newest first. */
  list(query?: KeyQuery, options?: CallOptions): Promise<ListPage<Key>>
  /** Lists API keys, newest first: all of them, page after page. */
  iterate(query?: KeyQuery, options?: CallOptions): AsyncGenerator<Key, void, undefined>
  /** Revokes an API key. */
  revoke(id: string, query?: RevokeQuery, options?: CallOptions): Promise<RevokedKey>
}

/** Operations of `me`. */
export interface MeResource {
  /** Returns the account, scopes, plan and limits of the caller. */
  get(options?: CallOptions): Promise<Me>
}

/** Operations of `media`. */
export interface MediaResource {
  /** Lists media items, newest first, with fresh links to their bytes. */
  list(query?: MediaQuery, options?: CallOptions): Promise<ListPage<MediaItem>>
  /** Lists media items, newest first, with fresh links to their bytes: all of them, page after page. */
  iterate(query?: MediaQuery, options?: CallOptions): AsyncGenerator<MediaItem, void, undefined>
  /** Reads a media item, with a fresh link to its bytes. */
  get(id: string, options?: CallOptions): Promise<MediaItem>
  /** Deletes a media item. */
  delete(id: string, options?: CallOptions): Promise<MediaDeleted>
}

/** Operations of `previews`. */
export interface PreviewsResource {
  /** Previews a recipe. */
  recipe(body: PreviewInput, options?: CallOptions): Promise<Preview>
  /** Previews a task, with optional changes. */
  task(id: string, body?: TaskPreviewInput, options?: CallOptions): Promise<Preview>
}

/** Operations of `results`. */
export interface ResultsResource {
  /** Lists the rows of an execution. */
  list(id: string, query?: ResultsQuery, options?: CallOptions): Promise<Results>
  /** Lists the rows of an execution: all of them, page after page. */
  iterate(
    id: string,
    query?: ResultsQuery,
    options?: CallOptions,
  ): AsyncGenerator<Results['items'][number], void, undefined>
  /** Exports the rows of an execution as a file. */
  export(id: string, query?: ExportQuery, options?: CallOptions): Promise<Download>
  /** Returns the same file at another path. */
  download(id: string, query?: ExportQuery, options?: CallOptions): Promise<Download>
}

/** Operations of `tasks`. */
export interface TasksResource {
  /** Reads the state of a task's schedule. */
  schedule(id: string, options?: CallOptions): Promise<ScheduleState>
  /** Returns all tasks as a file. */
  export(options?: CallOptions): Promise<Download>
  /** Creates and changes tasks from a file. */
  import(body: TaskFile, query?: ImportQuery, options?: CallOptions): Promise<TaskImport>
  /** Creates a task. */
  create(body: TaskInput, options?: CallOptions): Promise<Task>
  /** Lists tasks, newest first. */
  list(query?: TaskQuery, options?: CallOptions): Promise<ListPage<ListedTask>>
  /** Lists tasks, newest first: all of them, page after page. */
  iterate(query?: TaskQuery, options?: CallOptions): AsyncGenerator<ListedTask, void, undefined>
  /** Reads a task. */
  get(id: string, options?: CallOptions): Promise<Task>
  /** Changes a task. */
  update(id: string, body: TaskPatch, options?: CallOptions): Promise<Task>
  /** Applies the proposals of an execution for columns that have drifted. */
  repair(id: string, body: RepairInput, options?: CallOptions): Promise<Task>
  /** Deletes a task; executions and results stay. */
  delete(id: string, options?: CallOptions): Promise<TaskDeleted>
}

/** Operations of `snapshots`. */
export interface SnapshotsResource {
  /** Returns a page that a preview kept. */
  get(id: string, options?: CallOptions): Promise<Snapshot>
  /** Lists the style sheets and pictures of a snapshot. */
  files(id: string, query?: FilesQuery, options?: CallOptions): Promise<SnapshotFiles>
  /** Lists the style sheets and pictures of a snapshot: all of them, page after page. */
  iterateFiles(
    id: string,
    query?: FilesQuery,
    options?: CallOptions,
  ): AsyncGenerator<SnapshotFiles['items'][number], void, undefined>
  /** Proposes selectors for elements of a snapshot. */
  point(id: string, body: PointInput, options?: CallOptions): Promise<Candidates>
}

/** Operations of `templates`. */
export interface TemplatesResource {
  /** Lists the catalog of templates, or searches it. */
  list(query?: TemplateQuery, options?: CallOptions): Promise<ListPage<TemplateSummary>>
  /** Lists the catalog of templates, or searches it: all of them, page after page. */
  iterate(
    query?: TemplateQuery,
    options?: CallOptions,
  ): AsyncGenerator<TemplateSummary, void, undefined>
  /** Lists the categories of the catalog. */
  categories(options?: CallOptions): Promise<ListPage<Category>>
  /** Lists the categories of the catalog: all of them, page after page. */
  iterateCategories(options?: CallOptions): AsyncGenerator<Category, void, undefined>
  /** Reads a template with its parameters, columns and sample rows. */
  get(id: string, options?: CallOptions): Promise<Template>
  /** Runs a template. */
  run(id: string, body: TemplateRun, options?: CallOptions): Promise<Execution>
  /** Tries a template. */
  preview(id: string, body: TemplatePreview, options?: CallOptions): Promise<Preview>
  /** Saves a filled template as a task. */
  save(id: string, body: TemplateTask, options?: CallOptions): Promise<Task>
}

/** Operations of `webhooks`. */
export interface WebhooksResource {
  /** Adds a webhook; its secret is shown once. */
  create(body: WebhookInput, options?: CallOptions): Promise<WebhookWithSecret>
  /** Lists webhooks, newest first. */
  list(query?: WebhookQuery, options?: CallOptions): Promise<ListPage<Webhook>>
  /** Lists webhooks, newest first: all of them, page after page. */
  iterate(query?: WebhookQuery, options?: CallOptions): AsyncGenerator<Webhook, void, undefined>
  /** Reads a webhook. */
  get(id: string, options?: CallOptions): Promise<Webhook>
  /** Changes a webhook, or enables it again. */
  update(id: string, body: WebhookPatch, options?: CallOptions): Promise<Webhook>
  /** Deletes a webhook; pending deliveries are not sent. */
  delete(id: string, options?: CallOptions): Promise<WebhookDeleted>
  /** Rotates the secret of a webhook; the new one is shown once. */
  rotate(id: string, body?: RotateInput, options?: CallOptions): Promise<WebhookWithSecret>
  /** Confirms the mail address of a webhook, and enables it. */
  confirm(id: string, body: ConfirmInput, options?: CallOptions): Promise<Webhook>
  /** Sends a webhook an event of type `webhook.test`. */
  test(id: string, options?: CallOptions): Promise<WebhookDelivery>
  /** Lists the deliveries of the last 30 days, newest event first. */
  deliveries(
    id: string,
    query?: DeliveryQuery,
    options?: CallOptions,
  ): Promise<ListPage<WebhookDelivery>>
  /** Lists the deliveries of the last 30 days, newest event first: all of them, page after page. */
  iterateDeliveries(
    id: string,
    query?: DeliveryQuery,
    options?: CallOptions,
  ): AsyncGenerator<WebhookDelivery, void, undefined>
  /** Delivers an event again, now. */
  redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<WebhookDelivery>
}

/** All operations, by resource. */
export interface Resources {
  readonly mcp: McpResource
  readonly analytics: AnalyticsResource
  readonly audit: AuditResource
  readonly billing: BillingResource
  readonly datasets: DatasetsResource
  readonly estimates: EstimatesResource
  readonly executions: ExecutionsResource
  readonly keys: KeysResource
  readonly me: MeResource
  readonly media: MediaResource
  readonly operator: OperatorResource
  readonly previews: PreviewsResource
  readonly results: ResultsResource
  readonly tasks: TasksResource
  readonly snapshots: SnapshotsResource
  readonly templates: TemplatesResource
  readonly webhooks: WebhooksResource
}
