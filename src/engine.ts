/**
 * The engine alone. It applies a recipe to a page that you already have, without a platform, a
 * store or a network.
 *
 * @module
 */
export { compileRecipe } from './engine/plan/compile.ts'
export { prepareRecipe } from './engine/plan/prepare-recipe.ts'
export { preparePage } from './engine/extract/document/prepare-page.ts'
export { parseRecipe, parseRunRecipe } from './engine/recipe/parse-recipe.ts'
export type { MeasuredSize } from './engine/recipe/measure-recipe.ts'
export type { ParsedRecipe } from './engine/recipe/parse-recipe.ts'
export { fillRecipe } from './engine/recipe/fill-params.ts'
export type { FilledRecipe } from './engine/recipe/fill-params.ts'
export type { ParamValues } from './engine/recipe/fill-blanks.ts'
export type { RecipeFacts } from './engine/recipe/recipe-facts.ts'
export { readPdf } from './engine/pdf/read-pdf.ts'
export { openPageWork } from './engine/page-work.ts'
export { openRowWork } from './engine/export/open-row-work.ts'
export type {
  FailedPage,
  FoundLink,
  OpenPageWork,
  Page,
  PageAnswers,
  PageDetection,
  PageExplanation,
  PageFile,
  PageInspection,
  PageProposal,
  RefusedItems,
  PageCandidates,
  PageSample,
  PageView,
  PointedElements,
  PointedList,
  PointedSource,
  PageQuestion,
  PageResult,
  SourceRun,
  PageShell,
  PageTask,
  PageText,
  PageWork,
  RuleMatch,
  SourceMatch,
  ConvertedMatch,
  Visit,
} from './ports/page-processor.ts'
export type {
  PageCut,
  PageLimits,
  PageLosses,
  PageOverrun,
  PageSpent,
  WorkBudget,
} from './ports/page-limits.ts'
export type {
  AnswerRows,
  Column,
  ExportColumnType,
  MediaTarget,
  NamedRows,
  OpenRowWork,
  RowBlock,
  RowsAnswers,
  RowsMedia,
  RowsPart,
  RowsQuestion,
  RowsSpec,
} from './ports/row-work.ts'
export { PageFailure, type PageFailureKind } from './kernel/failures.ts'
export type {
  DocumentFormat,
  DocumentHtml,
  DocumentTable,
  DocumentText,
} from './ports/document-reader.ts'
export { DocumentFailure } from './kernel/failures.ts'
export type { DocumentFailureReason } from './kernel/failures.ts'
export { detect } from './engine/extract/auto.ts'
export type { CrawlPlan, StartSearch } from './engine/plan/plan.ts'
export type { ModelColumn, ModelPlan } from './engine/plan/compile-model.ts'
export type { RenderPlan } from './engine/plan/compile-render.ts'
export type { RenderSettings } from './engine/render/renderer.ts'
export { PageBudget } from './engine/extract/page/page-budget.ts'
export type { Parts } from './engine/extract/page/in-turns.ts'
export type { MediaPath } from './engine/recipe/columns.ts'
export type { Recipe } from './engine/recipe/schema.ts'
export type { NormalUrl } from './kernel/url.ts'
export type { Detection } from './engine/extract/auto.ts'
