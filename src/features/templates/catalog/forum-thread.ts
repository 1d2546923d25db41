import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'
import { outermost } from './structured.ts'

const POST = outermost([
  '[itemprop~="comment"]',
  '[itemtype$="/Comment"]',
  '[itemtype$="/Answer"]',
  'article.message',
  '.topic-post',
  '.post[id]',
  '[id^="post-"]',
  '[id^="post_"]',
  '.postcontainer',
  '.forum-post',
  '.comment[id]',
  '.crawler-post',
])

/** Discussions. */
export const forumThread = defineTemplate({
  id: 'forum-thread',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Forum thread',
  description:
    'Posts of a discussion in order, with author, time and text as Markdown, page after ' +
    'page; knows the markup of common forum and comment systems.',
  categories: ['community'],
  parameters: v.strictObject({
    url: urlOf('Address of the first page of the thread.'),
    items: selectorOf('CSS selector of one post. Default: the posts of common forum systems.'),
    next: selectorOf('CSS selector of the link to the next page; absent: it is detected.'),
    maxPages: pagesOf(20, 'Maximum number of pages of the thread.'),
  }),
  example: { url: 'https://sailors.example.com/threads/anchor-chain.118/' },
  columns: [
    { name: 'thread', type: 'text', description: 'Title of the thread.' },
    { name: 'id', type: 'text', description: "The post's id on its page." },
    { name: 'author', type: 'text', description: 'Who wrote it.' },
    { name: 'date', type: 'date', description: 'When it was written.' },
    { name: 'text', type: 'markdown', description: 'The post, with quotes.' },
    { name: 'page', type: 'url', description: 'Page with the post.' },
  ],
  sample: SAMPLES['forum-thread'] ?? [],
  typicalPages: 5,
  recipe: ({ url, items, next, maxPages }) => ({
    start: { urls: [url] },
    ...(maxPages > 1 && { follow: [{ next: next ?? ':auto', maxPages }] }),
    crawl: { maxPages },
    extract: {
      items: items ?? POST,
      fields: {
        thread: [
          { meta: 'og:title' },
          { jsonld: '$..headline' },
          { xpath: '//h1' },
          { xpath: '//*[contains(@class, "topic-title")]' },
          { xpath: '//title' },
        ],
        id: [
          { css: ':scope[id]', attr: 'id' },
          { css: ':scope[data-post-id]', attr: 'data-post-id' },
          { css: '[id]', attr: 'id' },
        ],
        author: [
          '[itemprop~="author"] [itemprop~="name"]',
          '[itemprop~="author"]',
          '.username, .author a, .author, [class*="username" i], [class*="author" i]',
        ],
        date: [
          { css: '[itemprop~="datePublished"], [itemprop~="dateCreated"]', as: 'date' },
          { css: 'time', as: 'date' },
          { css: '[class*="date" i], [class*="time" i]', as: 'date' },
        ],
        text: [
          { css: '[itemprop~="text"]', as: 'markdown' },
          {
            css:
              '.message-body, .bbWrapper, .postbody .content, .post-content, .post_body, .cooked, ' +
              '.postcontent, .comment-content, .comment-body, .post-body',
            as: 'markdown',
          },
          { css: '[class*="content" i], [class*="body" i]', as: 'markdown' },
        ],
        page: { url: true },
      },
    },
  }),
})
