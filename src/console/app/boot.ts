import type { PageFacts } from '../page.ts'

// The first script of the page. It is short and never sent compressed. If a proxy passes on
// compressed files but drops their header, this script loads the same files uncompressed.
const content = document.querySelector<HTMLMetaElement>('meta[name="seine-console"]')?.content
const { base, script }: PageFacts = JSON.parse(content ?? '{}')
const link = document.querySelector<HTMLLinkElement>('link[rel="stylesheet"]')
const style = link?.getAttribute('href')
if (link && style && !link.sheet?.cssRules.length)
  link.href = `${base}/plain${style.slice(base.length)}`
try {
  await import(`${base}/${script}`)
} catch {
  try {
    await import(`${base}/plain/${script}`)
  } catch (error) {
    const app = document.querySelector('#app')
    if (app) app.textContent = 'The console could not be loaded. Load this page again.'
    // The browser's log has the reason.
    throw error
  }
}
