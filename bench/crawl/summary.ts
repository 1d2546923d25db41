import { median } from '../measure.ts'
import { figure, markdownTable } from '../report.ts'

/** One contender's crawl in one run. */
export interface CrawlRun {
  readonly contender: string
  readonly run: number
  /** Pages of the crawl, the same number for every contender, by its seconds. */
  readonly pagesPerSecond: number
  readonly cpuSecondsPer1000: number
  readonly peakMiB: number
  /** CPU of the site's process by wall time; near 1 the site would be what is measured. */
  readonly siteCpuShare: number
  /** Requests that the site counted, robots.txt and repeats included. */
  readonly requests: number
  readonly connections: number
  /** Most requests that the site was answering at one time. */
  readonly maxInFlight: number
  /** Digest of the rows, the same for every contender. */
  readonly rows: string
}

/** Medians over the runs; a ratio is the median of the ratios within each run. */
export interface CrawlSummary {
  readonly contender: string
  readonly pagesPerSecond: number
  readonly slowest: number
  readonly fastest: number
  readonly cpuSecondsPer1000: number
  readonly peakMiB: number
  readonly siteCpuShare: number
  /** `null` where that contender was not in the runs. */
  readonly toCrawlee: number | null
  readonly toHand: number | null
}

export function summarise(
  contenders: readonly string[],
  runs: readonly CrawlRun[],
): CrawlSummary[] {
  return contenders.map((contender) => {
    const own = runs.filter((run) => run.contender === contender)
    const speeds = own.map((run) => run.pagesPerSecond)
    const ratioTo = (other: string) => {
      const ratios = own.flatMap(({ run, pagesPerSecond }) => {
        const peer = runs.find(
          (candidate) => candidate.contender === other && candidate.run === run,
        )
        return peer ? [pagesPerSecond / peer.pagesPerSecond] : []
      })
      return ratios.length > 0 ? median(ratios) : null
    }
    return {
      contender,
      pagesPerSecond: median(speeds),
      slowest: Math.min(...speeds),
      fastest: Math.max(...speeds),
      cpuSecondsPer1000: median(own.map((run) => run.cpuSecondsPer1000)),
      peakMiB: median(own.map((run) => run.peakMiB)),
      siteCpuShare: median(own.map((run) => run.siteCpuShare)),
      toCrawlee: ratioTo('crawlee'),
      toHand: ratioTo('hand'),
    }
  })
}

const NAMES: Readonly<Record<string, string>> = {
  seine: 'Seine, durable (SQLite and files)',
  'seine-one-thread': 'Seine, durable, one page thread',
  crawlee: 'Crawlee CheerioCrawler, in memory',
  hand: 'by hand: undici, htmlparser2, css-select',
  'hand-threads': 'the same by hand, two page threads',
}

/** The summary as Markdown. */
export function crawlTable(summary: readonly CrawlSummary[]): string {
  const rows = summary.map((line) => [
    NAMES[line.contender] ?? line.contender,
    `${figure(line.pagesPerSecond)} (${figure(line.slowest)}–${figure(line.fastest)})`,
    figure(line.cpuSecondsPer1000),
    figure(line.peakMiB),
    figure(line.toCrawlee ?? NaN),
    figure(line.toHand ?? NaN),
    `${Math.round(line.siteCpuShare * 100)} %`,
  ])
  return markdownTable(
    [
      'crawler',
      'pages/s (least–most)',
      'CPU-s per 1,000 pages',
      'peak RSS MiB',
      '× Crawlee',
      '× by hand',
      'site CPU',
    ],
    rows,
  )
}
