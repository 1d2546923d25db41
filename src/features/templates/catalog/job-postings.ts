import * as v from 'valibot'
import { defineTemplate } from '../template.ts'
import { pagesOf, selectorOf, urlOf } from './parameters.ts'
import { SAMPLES } from './samples.ts'
import { members, objectsOf } from './structured.ts'

/** Postings as job boards and employers state them. */
export const jobPostings = defineTemplate({
  id: 'job-postings',
  version: 1,
  updatedAt: '2026-11-21',
  name: 'Job postings',
  description:
    'Open positions with employer, place, salary and dates, from the JSON-LD (JobPosting) ' +
    'that job boards and employers put on their pages. Begins at a posting, or at a list ' +
    'whose links to postings it follows.',
  categories: ['jobs'],
  parameters: v.strictObject({
    url: urlOf('Address of a posting, or of a list of postings.'),
    links: selectorOf('CSS selector of the links to postings, if the address is that of a list.'),
    next: selectorOf('CSS selector of the link to the next page of the list.'),
    maxPages: pagesOf(200, 'Maximum number of pages to fetch, lists and postings together.'),
  }),
  example: {
    url: 'https://careers.example.com/openings',
    links: '.openings h2 a',
    next: 'a[rel=next]',
  },
  columns: [
    { name: 'title', type: 'text', description: 'Position.' },
    { name: 'employer', type: 'text', description: 'Who hires.' },
    { name: 'city', type: 'text', description: 'Where the work is done.' },
    { name: 'country', type: 'text', description: 'Country of that place.' },
    { name: 'remote', type: 'text', description: 'TELECOMMUTE for remote work.' },
    {
      name: 'type',
      type: 'json',
      description: 'Kind of employment: a term such as FULL_TIME, or a list of them.',
    },
    { name: 'salaryFrom', type: 'number', description: 'Salary, or its lower end.' },
    { name: 'salaryTo', type: 'number', description: 'Upper end of the salary.' },
    { name: 'currency', type: 'text', description: 'Currency of the salary.' },
    {
      name: 'salaryUnit',
      type: 'text',
      description: 'The period of the salary: HOUR, MONTH, YEAR.',
    },
    { name: 'posted', type: 'date', description: 'When it was published.' },
    { name: 'validThrough', type: 'date', description: 'When it ends.' },
    {
      name: 'description',
      type: 'text',
      description: 'The text of the posting, in HTML if the page states it so.',
    },
    { name: 'page', type: 'url', description: 'Page that it was found on.' },
  ],
  sample: SAMPLES['job-postings'] ?? [],
  typicalPages: 50,
  recipe: ({ url, links, next, maxPages }) => ({
    start: { urls: [url] },
    follow: [
      ...(links === undefined ? [] : [{ links, as: 'posting', on: 'start' }]),
      ...(next === undefined ? [] : [{ next, on: 'start' }]),
    ],
    crawl: { maxPages },
    extract: {
      items: objectsOf('JobPosting'),
      fields: {
        title: members(['title', 'name']),
        employer: members(['hiringOrganization.name', 'hiringOrganization'], { as: 'text' }),
        city: members([
          'jobLocation.address.addressLocality',
          'jobLocation[*].address.addressLocality',
        ]),
        country: members(
          [
            'jobLocation.address.addressCountry.name',
            'jobLocation.address.addressCountry',
            'jobLocation[*].address.addressCountry.name',
            'jobLocation[*].address.addressCountry',
            'applicantLocationRequirements.name',
          ],
          { as: 'text' },
        ),
        remote: { json: '$.jobLocationType' },
        type: '$.employmentType',
        salaryFrom: members(
          ['baseSalary.value.minValue', 'baseSalary.value.value', 'baseSalary.value'],
          { as: 'number' },
        ),
        salaryTo: members(['baseSalary.value.maxValue'], { as: 'number' }),
        currency: members(['baseSalary.currency', 'salaryCurrency']),
        salaryUnit: members(['baseSalary.value.unitText']),
        posted: members(['datePosted'], { as: 'date' }),
        validThrough: members(['validThrough'], { as: 'date' }),
        description: members(['description']),
        page: { url: true },
      },
    },
    output: { unique: ['title', 'employer', 'city', 'posted'] },
  }),
})
