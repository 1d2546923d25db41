import type { JsonSchema, OpenApiDocument, Operation } from '../types.ts'
import { Html, html, prose, words } from '../../../kernel/http/html.ts'
import { renderContents, renderOperation } from './render-operation.ts'
import { renderSchema, typeOf } from './render-schema.ts'
import { SCRIPT } from './script.ts'
import { STYLE } from './style.ts'

interface Group {
  readonly name: string
  readonly operations: readonly PathOperation[]
}

interface PathOperation {
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/**
 * Renders the reference of an API as one self-contained HTML document that is readable without
 * scripts.
 */
export function renderPage(document: OpenApiDocument): string {
  const { info, tags, paths, components } = document
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]): PathOperation => ({
      method,
      path,
      operation,
    })),
  )
  const groups = tags.map((tag) => ({
    ...tag,
    operations: all.filter(({ operation }) => operation.tags.includes(tag.name)),
  }))
  const credentials = Object.entries(components.securitySchemes).map(
    ([name, scheme]) => html`<li><code>${name}</code>: ${words(scheme['description'] ?? '')}</li>`,
  )
  const sections = groups.map(
    ({ name, description, operations }) =>
      html`<section class="group" aria-labelledby="tag-${name}"><h2 id="tag-${name}">${name}</h2>
<p>${description}</p>${operations.map(({ method, path, operation }) =>
        renderOperation(document, method, path, operation),
      )}</section>`,
  )
  const errors = Object.entries(components.responses).map(
    ([name, response]) =>
      html`<article class="schema" id="answer-${name}"><h3><a href="#answer-${name}">${name}</a></h3>
<p>${words(response.description)}</p>${renderContents(document, response, true)}</article>`,
  )
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} reference</title>
<link rel="icon" href="data:,">
<style>${new Html(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the reference</a>
<nav aria-label="Operations">
<p class="title">${info.title} <span class="version">${info.version}</span></p>
<div class="search" hidden><input id="search" type="search" placeholder="Search"
  aria-label="Search operations" aria-describedby="found" autocomplete="off"
  spellcheck="false"><kbd aria-hidden="true">/</kbd></div>
<p id="found" class="found" role="status"></p>
${groups.map(navSection)}
<section><h2><a href="#errors">errors</a></h2></section>
<section><h2><a href="#schemas">schemas</a></h2></section>
</nav>
<main id="main" tabindex="-1">
<header>
<h1>${info.title}</h1>
${prose(info.description ?? '')}
<p><a data-openapi href="api/v1/openapi.json">openapi.json</a> describes all of this for programs.
Calls need a credential in one of these forms:</p>
<ul>${credentials}</ul>
</header>
${sections}
<section class="group" aria-labelledby="errors"><h2 id="errors">errors</h2>${errors}</section>
<section class="group" aria-labelledby="schemas"><h2 id="schemas">schemas</h2>${Object.entries(
    components.schemas,
  )
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(schemaSection)}</section>
</main>
<script>${new Html(SCRIPT)}</script>
</body>
</html>
`.text
}

function navSection({ name, operations }: Group): Html {
  return html`<section><h2><a href="#tag-${name}">${name}</a></h2>
<ul>${operations.map(navItem)}</ul></section>`
}

function navItem({ method, path, operation }: PathOperation): Html {
  const { operationId, summary } = operation
  const verb = method === 'delete' ? 'DEL' : method.toUpperCase()
  return html`<li><a href="#${operationId}" data-for="${operationId}" title="${path}"><span
  class="method ${method}">${verb}</span> ${summary}</a></li>`
}

function schemaSection([name, schema]: readonly [string, JsonSchema]): Html {
  const isSimple = schema['properties'] === undefined
  const type = isSimple && schema['anyOf'] !== undefined && typeOf(schema)
  return html`<article class="schema" id="schema-${name}"><h3><a href="#schema-${name}">${name}</a>
</h3>${type && html`<p class="type">${type}</p>`}${renderSchema(schema, {})}</article>`
}
