import { describe, expect, test } from 'vitest'
import { formatPage } from '../../../../src/engine/extract/format/format-page.ts'
import { PageContent } from '../../../../src/engine/extract/page/page-content.ts'
import type { Json } from '../../../../src/kernel/json.ts'

const STORY = 'The tide turned at noon, and the boats left the harbour one after another, slowly. '

function formatOf(format: 'comments' | 'text', body: string): Json {
  const page = {
    url: 'https://a.example/tides',
    contentType: 'text/html; charset=utf-8',
    body: new TextEncoder().encode(
      `<html lang="en"><article><h1>Tides</h1><p>${STORY.repeat(8)}</p></article>${body}`,
    ),
    visitedAt: Date.parse('2026-03-05T12:00:00Z'),
  }
  return formatPage(new PageContent(page), format)
}
const commentsOf = (body: string): Json => formatOf('comments', body)
const ida = { author: 'Ida Lund', date: '2026-03-04T05:06:07Z', text: 'Well said.' }
const ole = { author: 'Ole', date: '2026-03-05', text: 'And seen.\nTwice.' }

describe('comments are read', () => {
  test.each([
    [
      'as blogs write them, with replies',
      `<div id="comments"><ol class="comment-list"><li id="comment-1" class="comment even">
        <article id="div-comment-1" class="comment-body"><footer class="comment-meta">
        <div class="comment-author vcard"><b class="fn">Ida Lund</b> <span class="says">says:</span></div>
        <time datetime="2026-03-04T05:06:07Z">a day ago</time></footer>
        <div class="comment-content"><p>Well said.</p></div><div class="reply"><a href="#">Reply</a></div></article>
        <ol class="children"><li id="comment-2" class="comment"><div class="comment-author">Ole says:</div>
        <a href="#comment-2">March 5, 2026</a><p>And seen.</p><p>Twice.</p></li></ol></li></ol>
        <form><p>Your name and email</p></form></div>`,
    ],
    [
      'by microdata',
      `<section><div itemscope itemtype="https://schema.org/Comment"><i itemprop="author">Ida Lund</i>
        <meta itemprop="dateCreated" content="2026-03-04T05:06:07Z"><p itemprop="text">Well said.</p></div>
        <div itemscope itemtype="https://schema.org/Comment"><i itemprop="creator">by Ole</i>
        <meta itemprop="dateCreated" content="2026-03-05"><div itemprop="text"><p>And seen.</p><p>Twice.</p></div></div></section>`,
    ],
    [
      'as the like parts of a list that is called so',
      `<ul class="comments"><li><span class="user">Ida Lund</span><time datetime="2026-03-04T05:06:07Z"></time>
        <p>Well said.</p></li><li><span class="user">Ole</span><span class="date">today</span>
        <p>And seen.</p><p>Twice.</p></li></ul>`,
    ],
    [
      'by a line that names who says it',
      `<div class="comment"><p>Ida Lund wrote:</p><time datetime="2026-03-04T05:06:07Z">1</time><p>Well said.</p></div>
        <div class="comment"><p>Ole says:</p><time datetime="2026-03-05">2</time><p>And seen.</p><p>Twice.</p></div>`,
    ],
  ])('%s', (_, body) => {
    expect(commentsOf(body)).toEqual([ida, ole])
    expect(formatOf('text', body)).toBe(STORY.repeat(8).trim())
  })

  test('from data, if the page shows none', () => {
    const data = {
      '@type': 'NewsArticle',
      comment: [
        { author: { name: 'Ida Lund' }, dateCreated: '2026-03-04T05:06:07Z', text: 'Well said.' },
        { author: null, text: 'Nobody knows.' },
      ],
    }
    expect(
      commentsOf(`<script type="application/ld+json">${JSON.stringify(data)}</script>`),
    ).toEqual([ida, { author: null, date: null, text: 'Nobody knows.' }])
  })
})

describe('not read as a comment', () => {
  test.each([
    ['a page without comments', ''],
    [
      'a list of the newest on other pages',
      '<ul id="recent-comments-2"><li class="comment"><i class="author">Ida</i> on <a>Tides</a></li></ul>',
    ],
    ['code', '<pre><span class="comment">// by <b class="author">Ida</b></span></pre>'],
    ['without author and date', '<div class="comment">Be the first to comment</div>'],
    ['hidden', '<div hidden class="comment"><i class="author">Ida</i>Template</div>'],
  ])('%s', (_, body) => {
    expect(commentsOf(body)).toBeNull()
  })
})

test('a page has a thousand comments at most, and says so', () => {
  const comment = '<div class="comment"><i class="author">Ida</i><p>Well said.</p></div>'
  const content = new PageContent({
    url: 'https://a.example/',
    contentType: 'text/html',
    body: new TextEncoder().encode(comment.repeat(1_100)),
  })
  expect(formatPage(content, 'comments')).toHaveLength(1_000)
  expect(content.budget.losses.cuts).toMatchObject([{ what: 'comments', limit: 1_000 }])
})
