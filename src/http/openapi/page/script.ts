/**
 * The script of the page, which also works without it. It adds search with the keyboard, calls with
 * the page's own address, and copying. It is sent to the browser as it is.
 */
export const SCRIPT = `
'use strict'
const root = location.origin + location.pathname.replace(/\\/docs\\/*$/, '')
document.querySelector('[data-openapi]').href = root + '/api/v1/openapi.json'
for (const pre of document.querySelectorAll('figure pre')) {
  pre.textContent = pre.textContent.replace('$BASE_URL', root)
  const button = pre.parentElement.querySelector('.copy')
  button.hidden = !navigator.clipboard
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => { button.textContent = 'Copy' }, 1500)
  })
}
const search = document.getElementById('search')
const count = document.getElementById('found')
const links = [...document.querySelectorAll('nav [data-for]')]
const articles = new Map([...document.querySelectorAll('.operation')].map((article) => [article.id, article]))
const schemas = new Map([...document.querySelectorAll('article.schema')].map((article) => [article.id, article]))
const texts = new Map()
const textOf = (article) => {
  const { search, uses } = article.dataset
  if (!texts.has(article)) {
    const bodies = uses.split(' ').map((name) => schemas.get('schema-' + name)?.textContent)
    texts.set(article, [search, ...bodies].join(' ').toLowerCase())
  }
  return texts.get(article)
}
const visible = () => links.filter((link) => !link.parentElement.hidden)
const wordsOf = () => search.value.toLowerCase().split(/\\s+/).filter(Boolean)
// An operation whose name and path have the words is meant before one that only mentions them.
const best = () => {
  const words = wordsOf()
  const isNamed = ({ dataset, title, textContent }) => {
    const name = [dataset.for, title, textContent].join(' ').toLowerCase()
    return words.every((word) => name.includes(word))
  }
  return visible().find(isNamed) || visible()[0]
}
const filter = () => {
  const words = wordsOf()
  for (const link of links) {
    const article = articles.get(link.dataset.for)
    const hidden = !words.every((word) => textOf(article).includes(word))
    link.parentElement.hidden = hidden
    article.hidden = hidden
  }
  for (const section of document.querySelectorAll('nav section:has(ul), .group:has(.operation)')) {
    section.hidden = ![...section.querySelectorAll('nav li, .operation')].some((item) => !item.hidden)
  }
  document.querySelector('header').hidden = words.length > 0
  count.textContent = words.length === 0 ? '' : visible().length + ' of ' + links.length + ' operations'
}
search.parentElement.hidden = false
search.addEventListener('input', filter)
document.addEventListener('keydown', (event) => {
  const isTyping = event.target === search
  if (event.ctrlKey || event.metaKey || event.altKey) return
  if (event.key === '/' && !isTyping) {
    event.preventDefault()
    search.focus()
    search.select()
  } else if (event.key === 'Escape' && (isTyping || search.value)) {
    search.value = ''
    filter()
    search.blur()
  } else if (event.key === 'Enter' && isTyping) {
    const link = best()
    if (link) link.click()
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    const shown = visible()
    const position = shown.indexOf(document.activeElement)
    if (!isTyping && position < 0) return
    event.preventDefault()
    const next = position + (event.key === 'ArrowDown' ? 1 : -1)
    if (next < 0) search.focus()
    else if (shown[next]) shown[next].focus()
  }
})
`
