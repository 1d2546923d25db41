import type { Template } from '../template.ts'
import { article } from './article.ts'
import { contacts } from './contacts.ts'
import { cookingRecipe } from './cooking-recipe.ts'
import { docsMarkdown } from './docs-markdown.ts'
import { events } from './events.ts'
import { feed } from './feed.ts'
import { forumThread } from './forum-thread.ts'
import { jobPostings } from './job-postings.ts'
import { jsonApi } from './json-api.ts'
import { linkCheck } from './link-check.ts'
import { newsSection } from './news-section.ts'
import { pageMetadata } from './page-metadata.ts'
import { productList } from './product-list.ts'
import { product } from './product.ts'
import { reviews } from './reviews.ts'
import { searchResults } from './search-results.ts'
import { sitemap } from './sitemap.ts'
import { tables } from './tables.ts'

/** The curated templates, in the order in which they are shown. */
export const CATALOG: readonly Template[] = [
  article,
  newsSection,
  product,
  productList,
  jobPostings,
  events,
  cookingRecipe,
  reviews,
  tables,
  feed,
  sitemap,
  linkCheck,
  contacts,
  pageMetadata,
  docsMarkdown,
  searchResults,
  forumThread,
  jsonApi,
]
