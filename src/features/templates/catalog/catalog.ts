import type { Template } from '../template.ts'
import { article } from './article.ts'

/** The curated templates, in the order in which they are shown. */
export const CATALOG: readonly Template[] = [article]
