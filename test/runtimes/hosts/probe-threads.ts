import { createPageThreads } from 'seine/node'

const RECIPE = { start: { urls: ['https://a.example.com/'] }, extract: { fields: { title: 'h1' } } }
const PAGES = 8

/** Whether pages are processed in threads here. */
export async function probeThreads(): Promise<string> {
  const pool = createPageThreads({ threads: 1 })
  try {
    const recipe = pool.open(RECIPE)
    const body = new TextEncoder().encode('<h1>Here</h1>')
    const pages = Array.from({ length: PAGES }, () =>
      recipe.process(
        { url: 'https://a.example.com/', contentType: 'text/html', body },
        { label: 'start', depth: 0, hop: 1 },
      ),
    )
    const results = await Promise.all(pages)
    return results.every(({ rows }) => rows[0]?.['title'] === 'Here') ? 'yes' : 'no'
  } catch {
    return 'no'
  } finally {
    await pool.close()
  }
}
