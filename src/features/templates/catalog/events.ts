import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'
import { members } from './structured.ts'

/** Any object with a start date, because all the many kinds of events have one. */
const EVENT = '$..[?(@.startDate)]'

/** Calendars of venues, organisers and ticket offices. */
export const events = defineTemplate({
  id: 'events',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Events',
  description:
    'Concerts, talks, matches and other events with time, place, price and organiser, from ' +
    'the JSON-LD (Event and its kinds) of calendars and event pages.',
  categories: ['events'],
  parameters: v.strictObject({
    url: urlOf('Address of a calendar or of an event.'),
    links: selectorOf(
      'CSS selector of the links to events, if the calendar page has no JSON-LD of them.',
    ),
    next: selectorOf('CSS selector of the link to the next page of the calendar.'),
    maxPages: pagesOf(100, 'Maximum number of pages to fetch.'),
  }),
  example: { url: 'https://harbourhall.example.com/calendar', next: '.later a' },
  columns: [
    { name: 'name', type: 'text', description: 'What it is called.' },
    { name: 'starts', type: 'date', description: 'When it begins.' },
    { name: 'ends', type: 'date', description: 'When it ends.' },
    { name: 'venue', type: 'text', description: 'Where it takes place.' },
    { name: 'city', type: 'text', description: 'City of the venue.' },
    { name: 'price', type: 'number', description: 'Price; the lowest if there are several.' },
    { name: 'currency', type: 'text', description: 'Currency of the price.' },
    { name: 'organizer', type: 'text', description: 'Who holds it.' },
    {
      name: 'status',
      type: 'text',
      description: 'Such as a term of schema.org for scheduled, postponed or cancelled.',
    },
    { name: 'description', type: 'text', description: 'What is said of it.' },
    { name: 'url', type: 'url', description: 'Its own page.' },
    { name: 'image', type: 'url', description: 'Picture.' },
  ],
  sample: SAMPLES['events'] ?? [],
  typicalPages: 5,
  recipe: ({ url, links, next, maxPages }) => ({
    start: { urls: [url] },
    follow: [
      ...(links === undefined ? [] : [{ links, as: 'event', on: 'start' }]),
      ...(next === undefined ? [] : [{ next, on: 'start' }]),
    ],
    crawl: { maxPages },
    extract: {
      items: EVENT,
      fields: {
        name: members(['name']),
        starts: members(['startDate'], { as: 'date' }),
        ends: members(['endDate'], { as: 'date' }),
        venue: members(['location.name', 'location[*].name', 'location'], { as: 'text' }),
        city: members(['location.address.addressLocality', 'location[*].address.addressLocality']),
        price: members(['offers.price', 'offers.lowPrice', 'offers[*].price'], { as: 'number' }),
        currency: members(['offers.priceCurrency', 'offers[*].priceCurrency']),
        organizer: members(['organizer.name', 'organizer[*].name', 'organizer'], { as: 'text' }),
        status: members(['eventStatus']),
        description: members(['description']),
        url: [...members(['url'], { as: 'url' }), { url: true }],
        image: members(['image.url', 'image[0]', 'image'], { as: 'url' }),
      },
    },
    output: { unique: ['name', 'starts', 'venue'] },
  }),
})
