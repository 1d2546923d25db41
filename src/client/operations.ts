// Made from the route table: do not edit. After a change of routes or schemas: npm run client
import type { exportQuerySchema } from '../features/common/export-schema.ts'
import type { changesQuerySchema, changesSchema, datasetDeletedSchema, datasetExportQuerySchema, datasetInputSchema, datasetPatchSchema, datasetQuerySchema, datasetSchema, itemsQuerySchema, itemsSchema } from '../features/datasets/schema.ts'
import type { executionQuerySchema, executionSchema, pageReceiptSchema, pagesQuerySchema, startInputSchema, taskExecutionQuerySchema } from '../features/executions/schema.ts'
import type { createdKeySchema, keyInputSchema, keyQuerySchema, keySchema } from '../features/keys/schema.ts'
import type { mediaItemSchema } from '../features/media/schema.ts'
import type { planSchema } from '../features/plan-steps/schema.ts'
import type { previewInputSchema, previewSchema, taskPreviewInputSchema } from '../features/previews/schema.ts'
import type { resultsQuerySchema, resultsSchema } from '../features/results/schema.ts'
import type { scheduleStateSchema } from '../features/schedules/schema.ts'
import type { taskDeletedSchema, taskInputSchema, taskPatchSchema, taskQuerySchema, taskSchema } from '../features/tasks/schema.ts'
import type { categorySchema, templatePreviewSchema, templateQuerySchema, templateRunSchema, templateSchema, templateSummarySchema, templateTaskSchema } from '../features/templates/schema.ts'
import type { Download } from './download.ts'
import type { Asked, Page, Received, Sent } from './from-schema.ts'
import type { CallOptions } from './options.ts'

/** Given by `templates.categories`. */
export type Category = Received<typeof categorySchema>

/** Given by `datasets.changes`. */
export type Changes = Received<typeof changesSchema>

/** Query of `datasets.changes`. */
export type ChangesQuery = Asked<typeof changesQuerySchema>

/** Given by `keys.create`. */
export type CreatedKey = Received<typeof createdKeySchema>

/** Given by `datasets.create`, `datasets.list`, `datasets.read`, `datasets.change`. */
export type Dataset = Received<typeof datasetSchema>

/** Given by `datasets.remove`. */
export type DatasetDeleted = Received<typeof datasetDeletedSchema>

/** Query of `datasets.export`. */
export type DatasetExportQuery = Asked<typeof datasetExportQuerySchema>

/** Body of `datasets.create`. */
export type DatasetInput = Sent<typeof datasetInputSchema>

/** Body of `datasets.change`. */
export type DatasetPatch = Sent<typeof datasetPatchSchema>

/** Query of `datasets.list`. */
export type DatasetQuery = Asked<typeof datasetQuerySchema>

/** Given by `executions.start`, `executions.listOfTask`, `executions.list`, `executions.read`, `executions.cancel`, `executions.pause`, `executions.resume`, `executions.retry`, `templates.run`. */
export type Execution = Received<typeof executionSchema>

/** Query of `executions.list`. */
export type ExecutionQuery = Asked<typeof executionQuerySchema>

/** Query of `results.export`, `results.download`. */
export type ExportQuery = Asked<typeof exportQuerySchema>

/** Given by `datasets.items`. */
export type Items = Received<typeof itemsSchema>

/** Query of `datasets.items`. */
export type ItemsQuery = Asked<typeof itemsQuerySchema>

/** Given by `keys.list`, `keys.revoke`. */
export type Key = Received<typeof keySchema>

/** Body of `keys.create`. */
export type KeyInput = Sent<typeof keyInputSchema>

/** Query of `keys.list`. */
export type KeyQuery = Asked<typeof keyQuerySchema>

/** Given by `media.read`. */
export type MediaItem = Received<typeof mediaItemSchema>

/** Given by `executions.pages`. */
export type PageReceipt = Received<typeof pageReceiptSchema>

/** Query of `executions.pages`. */
export type PagesQuery = Asked<typeof pagesQuerySchema>

/** Given by `executions.planSteps`. */
export type Plan = Received<typeof planSchema>

/** Given by `previews.recipe`, `previews.task`, `templates.preview`. */
export type Preview = Received<typeof previewSchema>

/** Body of `previews.recipe`. */
export type PreviewInput = Sent<typeof previewInputSchema>

/** Given by `results.list`. */
export type Results = Received<typeof resultsSchema>

/** Query of `results.list`. */
export type ResultsQuery = Asked<typeof resultsQuerySchema>

/** Given by `tasks.schedule`. */
export type ScheduleState = Received<typeof scheduleStateSchema>

/** Body of `executions.start`. */
export type StartInput = Sent<typeof startInputSchema>

/** Given by `tasks.create`, `tasks.list`, `tasks.read`, `tasks.change`, `templates.save`. */
export type Task = Received<typeof taskSchema>

/** Given by `tasks.remove`. */
export type TaskDeleted = Received<typeof taskDeletedSchema>

/** Query of `executions.listOfTask`. */
export type TaskExecutionQuery = Asked<typeof taskExecutionQuerySchema>

/** Body of `tasks.create`. */
export type TaskInput = Sent<typeof taskInputSchema>

/** Body of `tasks.change`. */
export type TaskPatch = Sent<typeof taskPatchSchema>

/** Body of `previews.task`. */
export type TaskPreviewInput = Sent<typeof taskPreviewInputSchema>

/** Query of `tasks.list`. */
export type TaskQuery = Asked<typeof taskQuerySchema>

/** Given by `templates.read`. */
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

/** Operations of `datasets`. */
export interface DatasetsResource {
  /** Creates a dataset. */
  create(body: DatasetInput, options?: CallOptions): Promise<Dataset>
  /** Lists datasets, newest first. */
  list(query?: DatasetQuery, options?: CallOptions): Promise<Page<Dataset>>
  /** Lists datasets, newest first: all of them, page after page. */
  iterate(query?: DatasetQuery, options?: CallOptions): AsyncGenerator<Dataset, void, undefined>
  /** Reads a dataset. */
  read(id: string, options?: CallOptions): Promise<Dataset>
  /** Changes a dataset. */
  change(id: string, body: DatasetPatch, options?: CallOptions): Promise<Dataset>
  /** Deletes a dataset with its items and changes. */
  remove(id: string, options?: CallOptions): Promise<DatasetDeleted>
  /** Lists the items of a dataset. */
  items(id: string, query?: ItemsQuery, options?: CallOptions): Promise<Items>
  /** Lists the items of a dataset: all of them, page after page. */
  iterateItems(id: string, query?: ItemsQuery, options?: CallOptions): AsyncGenerator<Items['items'][number], void, undefined>
  /** Reads the feed of changes, oldest first. */
  changes(id: string, query?: ChangesQuery, options?: CallOptions): Promise<Changes>
  /** Reads the feed of changes, oldest first: all of them, page after page. */
  iterateChanges(id: string, query?: ChangesQuery, options?: CallOptions): AsyncGenerator<Changes['items'][number], void, undefined>
  /** Gives the items of a dataset as a file. */
  export(id: string, query?: DatasetExportQuery, options?: CallOptions): Promise<Download>
}

/** Operations of `executions`. */
export interface ExecutionsResource {
  /** Starts an execution of a task. */
  start(id: string, body?: StartInput, options?: CallOptions): Promise<Execution>
  /** Lists the executions of a task, newest first. */
  listOfTask(id: string, query?: TaskExecutionQuery, options?: CallOptions): Promise<Page<Execution>>
  /** Lists the executions of a task, newest first: all of them, page after page. */
  iterateOfTask(id: string, query?: TaskExecutionQuery, options?: CallOptions): AsyncGenerator<Execution, void, undefined>
  /** Lists executions, newest first. */
  list(query?: ExecutionQuery, options?: CallOptions): Promise<Page<Execution>>
  /** Lists executions, newest first: all of them, page after page. */
  iterate(query?: ExecutionQuery, options?: CallOptions): AsyncGenerator<Execution, void, undefined>
  /** Reads an execution with its counters. */
  read(id: string, options?: CallOptions): Promise<Execution>
  /** Cancels an execution. */
  cancel(id: string, options?: CallOptions): Promise<Execution>
  /** Pauses an execution. */
  pause(id: string, options?: CallOptions): Promise<Execution>
  /** Queues a paused execution again. */
  resume(id: string, options?: CallOptions): Promise<Execution>
  /** Starts a finished execution anew. */
  retry(id: string, options?: CallOptions): Promise<Execution>
  /** Lists every URL of an execution with its outcome. */
  pages(id: string, query?: PagesQuery, options?: CallOptions): Promise<Page<PageReceipt>>
  /** Lists every URL of an execution with its outcome: all of them, page after page. */
  iteratePages(id: string, query?: PagesQuery, options?: CallOptions): AsyncGenerator<PageReceipt, void, undefined>
  /** Lists the steps of an execution's plan, with state and counts. */
  planSteps(id: string, options?: CallOptions): Promise<Plan>
}

/** Operations of `keys`. */
export interface KeysResource {
  /** Makes an API key; its secret is shown once. */
  create(body: KeyInput, options?: CallOptions): Promise<CreatedKey>
  /** Lists API keys, newest first. */
  list(query?: KeyQuery, options?: CallOptions): Promise<Page<Key>>
  /** Lists API keys, newest first: all of them, page after page. */
  iterate(query?: KeyQuery, options?: CallOptions): AsyncGenerator<Key, void, undefined>
  /** Revokes an API key. */
  revoke(id: string, options?: CallOptions): Promise<Key>
}

/** Operations of `media`. */
export interface MediaResource {
  /** Reads a media item, with a fresh link to its bytes. */
  read(id: string, options?: CallOptions): Promise<MediaItem>
}

/** Operations of `previews`. */
export interface PreviewsResource {
  /** Tries a recipe that is not saved. */
  recipe(body: PreviewInput, options?: CallOptions): Promise<Preview>
  /** Tries a task, with changes that are not saved. */
  task(id: string, body?: TaskPreviewInput, options?: CallOptions): Promise<Preview>
}

/** Operations of `results`. */
export interface ResultsResource {
  /** Lists the rows of an execution. */
  list(id: string, query?: ResultsQuery, options?: CallOptions): Promise<Results>
  /** Lists the rows of an execution: all of them, page after page. */
  iterate(id: string, query?: ResultsQuery, options?: CallOptions): AsyncGenerator<Results['items'][number], void, undefined>
  /** Gives the rows of an execution as a file. */
  export(id: string, query?: ExportQuery, options?: CallOptions): Promise<Download>
  /** Gives the same file under another name. */
  download(id: string, query?: ExportQuery, options?: CallOptions): Promise<Download>
}

/** Operations of `tasks`. */
export interface TasksResource {
  /** Reads where a task's schedule stands. */
  schedule(id: string, options?: CallOptions): Promise<ScheduleState>
  /** Creates a task. */
  create(body: TaskInput, options?: CallOptions): Promise<Task>
  /** Lists tasks, newest first. */
  list(query?: TaskQuery, options?: CallOptions): Promise<Page<Task>>
  /** Lists tasks, newest first: all of them, page after page. */
  iterate(query?: TaskQuery, options?: CallOptions): AsyncGenerator<Task, void, undefined>
  /** Reads a task. */
  read(id: string, options?: CallOptions): Promise<Task>
  /** Changes a task. */
  change(id: string, body: TaskPatch, options?: CallOptions): Promise<Task>
  /** Deletes a task; executions and results stay. */
  remove(id: string, options?: CallOptions): Promise<TaskDeleted>
}

/** Operations of `templates`. */
export interface TemplatesResource {
  /** Lists the catalog of templates, or searches it. */
  list(query?: TemplateQuery, options?: CallOptions): Promise<Page<TemplateSummary>>
  /** Lists the catalog of templates, or searches it: all of them, page after page. */
  iterate(query?: TemplateQuery, options?: CallOptions): AsyncGenerator<TemplateSummary, void, undefined>
  /** Lists the categories of the catalog. */
  categories(options?: CallOptions): Promise<Page<Category>>
  /** Lists the categories of the catalog: all of them, page after page. */
  iterateCategories(options?: CallOptions): AsyncGenerator<Category, void, undefined>
  /** Reads a template with its parameters, columns and sample rows. */
  read(id: string, options?: CallOptions): Promise<Template>
  /** Runs a template. */
  run(id: string, body: TemplateRun, options?: CallOptions): Promise<Execution>
  /** Tries a template. */
  preview(id: string, body: TemplatePreview, options?: CallOptions): Promise<Preview>
  /** Saves a filled template as a task. */
  save(id: string, body: TemplateTask, options?: CallOptions): Promise<Task>
}

/** All operations, by resource. */
export interface Resources {
  readonly datasets: DatasetsResource
  readonly executions: ExecutionsResource
  readonly keys: KeysResource
  readonly media: MediaResource
  readonly previews: PreviewsResource
  readonly results: ResultsResource
  readonly tasks: TasksResource
  readonly templates: TemplatesResource
}
