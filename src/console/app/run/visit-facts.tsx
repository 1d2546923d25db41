import type { PageReceipt } from '../../../client.ts'
import { Facts, figure } from '../parts/show.tsx'
import { words } from '../words.ts'

type Visit = NonNullable<PageReceipt['visit']>

const TIMES = [
  'waitMs',
  'dnsMs',
  'connectMs',
  'firstByteMs',
  'fetchMs',
  'renderMs',
  'readMs',
] as const

/** How a page was requested: redirects, robots.txt, times and headers. */
export function VisitFacts({
  page: { visit, url, finalUrl, httpStatus, outcome },
}: {
  readonly page: PageReceipt
}) {
  if (outcome === 'pending') return null
  return (
    <section aria-labelledby="visit">
      <h3 id="visit">{words.visit.title}</h3>
      {visit === null ? (
        <p>{words.visit.unknown}</p>
      ) : (
        <>
          <Facts
            facts={[
              [words.visit.tries, figure(visit.tries)],
              [
                words.visit.redirects,
                visit.redirects.length === 0 ? (
                  words.visit.noRedirects
                ) : (
                  <Chain
                    key="chain"
                    steps={[
                      ...visit.redirects,
                      ...(httpStatus === null
                        ? []
                        : [{ url: finalUrl ?? url, status: httpStatus }]),
                    ]}
                  />
                ),
              ],
              ['robots.txt', robotsText(visit, url)],
              ...TIMES.flatMap((name) => {
                const ms = visit.timings[name]
                return ms === null
                  ? []
                  : ([[words.visit.timings[name], `${figure(ms)} ms`]] as const)
              }),
            ]}
          />
          {Object.keys(visit.headers).length > 0 && (
            <>
              <h3>{words.visit.headers}</h3>
              <Facts facts={Object.entries(visit.headers)} />
            </>
          )}
        </>
      )}
    </section>
  )
}

/** The requested addresses in order, with the answer to each. */
function Chain({ steps }: { readonly steps: Visit['redirects'] }) {
  return (
    <ol class="chain">
      {steps.map(({ url, status }, index) => (
        <li key={index}>
          {status} {url}
        </li>
      ))}
    </ol>
  )
}

function robotsText({ robots }: Visit, page: string): string {
  if (robots === null) return words.visit.noRobots
  const { allowed, rule, url } = robots
  const text = allowed ? words.visit.allowed(rule) : words.visit.forbidden(rule)
  return url === page ? text : `${text} (${url})`
}
