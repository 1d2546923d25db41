import { cancelCases } from './cancel-cases.ts'
import { costlyCases } from './costly-cases.ts'
import { crawlCases } from './crawl-cases.ts'
import { exportCases } from './export-cases.ts'
import { httpCases } from './http-cases.ts'
import { mcpCases } from './mcp-cases.ts'
import { mediaCases } from './media-cases.ts'
import { moneyCases } from './money-cases.ts'
import type { Case } from './stage.ts'

/** The cases of every runtime. Those of money come last, so that `verify` checks all earlier work. */
export const allCases: readonly Case[] = [
  ...httpCases,
  ...crawlCases,
  ...exportCases,
  ...mcpCases,
  ...mediaCases,
  ...cancelCases,
  ...costlyCases,
  ...moneyCases,
]
