import type { PageReceipt } from '../../../client.ts'
import { words } from '../words.ts'
import { PageRows } from './page-rows.tsx'
import { VisitFacts } from './visit-facts.tsx'
import { Drawer } from '../parts/drawer.tsx'
import { Explanation } from '../parts/explanation.tsx'
import { Facts, figure, sizeOf, State, timeOf } from '../parts/show.tsx'

/** All known facts of one page. */
export function PageDrawer({
  run,
  page,
  onClose,
}: {
  /** Id of its run. */
  readonly run: string
  readonly page: PageReceipt
  readonly onClose: () => void
}) {
  return (
    <Drawer title={words.run.page} onClose={onClose}>
      <Facts
        facts={[
          [
            words.run.url,
            <a key="url" href={page.url} rel="noreferrer noopener" target="_blank">
              {page.url}
            </a>,
          ],
          ...(page.finalUrl === null ? [] : ([[words.run.final, page.finalUrl]] as const)),
          [words.run.outcome, <State key="outcome" state={page.outcome} />],
          ...(page.reason === null
            ? []
            : ([[words.run.reason, `${page.reason.message} (${page.reason.code})`]] as const)),
          [words.run.status, page.httpStatus ?? '–'],
          [words.run.rows, figure(page.rows)],
          [words.run.size, sizeOf(page.bytes)],
          [words.run.time, `${figure(Math.round(page.durationMs))} ms`],
          [words.run.credits, figure(page.credits)],
          [words.run.depth, figure(page.depth)],
          ...(page.listedBy === null ? [] : ([[words.run.listed, page.listedBy]] as const)),
          [words.run.at, timeOf(page.at)],
        ]}
      />
      <VisitFacts page={page} />
      <PageRows run={run} page={page} />
      <Explanation run={run} url={page.url} />
    </Drawer>
  )
}
