import { slopeOf } from './judge.ts'
import { MEASURES, minutesOf, type Minute, type Recording } from './recording.ts'

const WIDTH = 960
const PANEL = { width: 300, height: 110, across: 3, gap: 15, top: 50 }
const INK = '#345'
const PALE = '#e4e8ee'

interface Curve {
  readonly name: string
  readonly unit: string
  readonly values: readonly number[]
}

/** The curves of a soak by minute, as one SVG: a panel for each measure. */
export function pictureOf(recording: Recording, warmUpMinutes: number, title: string): string {
  const minutes = minutesOf(recording)
  const curves: readonly Curve[] = [
    ...MEASURES.map(([measure, name, unit]) => ({
      name,
      unit,
      values: minutes.map(({ least }) => least[measure]),
    })),
    { name: 'p99 of all honest calls', unit: 'ms', values: valuesOf(minutes, 'p99') },
    { name: 'p99 of a public GET', unit: 'ms', values: valuesOf(minutes, 'probeP99') },
  ]
  const rows = Math.ceil(curves.length / PANEL.across)
  const height = PANEL.top + rows * (PANEL.height + PANEL.gap)
  const panels = curves.map((curve, index) => {
    const x = PANEL.gap + (index % PANEL.across) * (PANEL.width + PANEL.gap)
    const y = PANEL.top + Math.floor(index / PANEL.across) * (PANEL.height + PANEL.gap)
    return `<g transform="translate(${x} ${y})">${panelOf(curve, warmUpMinutes)}</g>`
  })
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" ` +
    `font-family="sans-serif" font-size="12" fill="${INK}">` +
    `<rect width="${WIDTH}" height="${height}" fill="#fff"/>` +
    `<text x="${PANEL.gap}" y="30" font-size="16">${escaped(title)}: the least of each minute</text>` +
    `${panels.join('')}</svg>\n`
  )
}

function valuesOf(minutes: readonly Minute[], name: 'p99' | 'probeP99'): readonly number[] {
  return minutes.map((minute) => minute[name])
}

/** One curve from 0 on, so that a small change looks small; the warm-up is shaded. */
function panelOf({ name, unit, values }: Curve, warmUpMinutes: number): string {
  const { width, height } = PANEL
  const plot = { top: 24, bottom: height - 4 }
  const finite = values.filter(Number.isFinite)
  const most = Math.max(...finite, Number.MIN_VALUE)
  const step = width / Math.max(1, values.length - 1)
  const points = values.flatMap((value, index) =>
    Number.isFinite(value)
      ? [`${round(index * step)},${round(plot.bottom - (value / most) * (plot.bottom - plot.top))}`]
      : [],
  )
  const slope = slopeOf(values.slice(warmUpMinutes))
  // Times have no slope that is judged.
  const slopeText = unit === 'ms' || !Number.isFinite(slope) ? '' : `, ${slope.toFixed(2)} a minute`
  const span = `${round(Math.min(...finite, most))} to ${round(most)}${unit === '' ? '' : ` ${unit}`}`
  return (
    `<rect width="${width}" height="${height}" fill="none" stroke="${PALE}"/>` +
    `<rect y="${plot.top}" width="${round(Math.min(width, warmUpMinutes * step))}" ` +
    `height="${plot.bottom - plot.top}" fill="${PALE}" opacity="0.6"/>` +
    `<text x="6" y="16">${escaped(name)}: ${span}${slopeText}</text>` +
    `<polyline points="${points.join(' ')}" fill="none" stroke="${INK}" stroke-width="1.5"/>`
  )
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
