/**
 * The style of the reference: a column of text and a column of samples, light or dark like the
 * reader's system.
 */
export const STYLE = `
:root {
  color-scheme: light dark;
  --ground: light-dark(#fff, #14181d);
  --raised: light-dark(#f5f7f9, #1b2027);
  --line: light-dark(#dde3e8, #2e3640);
  --ink: light-dark(#1c242c, #dfe6ed);
  --soft: light-dark(#566470, #9aa8b5);
  --link: light-dark(#0b5cad, #79b8ff);
  --get: light-dark(#0b6b3a, #6fd39b);
  --post: light-dark(#0b5cad, #79b8ff);
  --put: light-dark(#7a4d00, #e8b45a);
  --delete: light-dark(#a8201a, #ff9a92);
  --mono: ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body {
  margin: 0; display: grid; grid-template-columns: 19rem minmax(0, 1fr); background: var(--ground);
  color: var(--ink);
  font: 15px/1.55 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif
}
a { color: var(--link); text-decoration: none } a:hover { text-decoration: underline }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; border-radius: 3px }
[hidden] { display: none !important }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: 1rem; z-index: 1; padding: .5rem 1rem; background: var(--ground) }
nav {
  position: sticky; top: 0; height: 100vh; overflow-y: auto; padding: 1.25rem 1rem 3rem;
  background: var(--raised); border-right: 1px solid var(--line); font-size: 14px
}
nav ul { list-style: none; margin: 0; padding: 0 }
nav h2 {
  margin: 1.25rem 0 .25rem; font-size: 12px; text-transform: capitalize; letter-spacing: .02em
}
nav h2 a { color: var(--soft) }
nav li a {
  display: flex; gap: .5rem; align-items: baseline; padding: .2rem .35rem; border-radius: 4px;
  color: var(--ink); line-height: 1.35
}
nav li a:hover { background: var(--line); text-decoration: none }
.title { margin: 0 0 .75rem; font-weight: 650; font-size: 1.1rem }
.version { color: var(--soft); font-weight: 400; font-size: .85rem }
.search { position: relative }
.search input {
  width: 100%; padding: .45rem 2rem .45rem .65rem; font: inherit; color: inherit;
  background: var(--ground); border: 1px solid var(--line); border-radius: 6px
}
kbd {
  position: absolute; right: .5rem; top: .45rem; padding: 0 .4rem; font: 12px/1.6 var(--mono);
  color: var(--soft); border: 1px solid var(--line); border-radius: 4px
}
.search input:focus + kbd { display: none }
.found { min-height: 1.2em; margin: .35rem 0 0; font-size: 12px; color: var(--soft) }
.method { flex: none; font: 650 11px/1 var(--mono); color: var(--get) }
nav .method { width: 2.6rem }
.method.post { color: var(--post) }
.method.put, .method.patch { color: var(--put) }
.method.delete { color: var(--delete) }
main { padding: 2rem clamp(1rem, 4vw, 3.5rem) 6rem; max-width: 88rem; outline: none; overflow-wrap: anywhere }
h1 { margin: 0 0 .75rem; font-size: 1.9rem; line-height: 1.2 }
header p, header ul { max-width: 46rem }
.group { margin-top: 3rem }
.group > h2 { margin: 0; font-size: 1.35rem; text-transform: capitalize }
.group > p { margin: .15rem 0 0; color: var(--soft) }
article { padding: 1.75rem 0; border-bottom: 1px solid var(--line) }
article:target > h3 { border-left: 3px solid var(--link); padding-left: .6rem }
h3 { margin: 0; font-size: 1.08rem }
h3 a { color: inherit }
h4 { margin: 1.4rem 0 .35rem; font-size: .82rem; color: var(--soft); font-weight: 600 }
.call { margin: .4rem 0 .8rem }
.call .method { font-size: 13px; margin-right: .35rem }
.slot { color: var(--put) }
.columns { display: grid; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 0 2.5rem }
.samples { position: sticky; top: 1rem; align-self: start }
.words > p:first-child { margin-top: 0 }
code, pre { font-family: var(--mono); font-size: .87em }
p code, li .about code, summary code {
  padding: .08em .3em; background: var(--raised); border-radius: 3px
}
.fields { list-style: none; margin: 0; padding: 0 }
.fields li { padding: .45rem 0; border-top: 1px solid var(--line); overflow-wrap: anywhere }
.fields .fields {
  margin: .45rem 0 0 .15rem; padding-left: .85rem; border-left: 2px solid var(--line)
}
.fields .fields li:first-child { border-top: 0; padding-top: 0 }
.name { font-weight: 600 }
.required { color: var(--delete); margin-left: .15rem }
.type, .place, .limit { color: var(--soft); font-size: .87em }
.place { padding: 0 .35em; border: 1px solid var(--line); border-radius: 3px }
.about { display: block; font-size: .93em }
.answer {
  margin: 0; border-top: 1px solid var(--line); padding: .5rem 0 .5rem 3.6rem; text-indent: -2.6rem
}
.answer > * { text-indent: 0 }
.answer a { color: inherit }
.answer a:hover { color: var(--link) }
details { border-top: 1px solid var(--line); padding: .4rem 0 }
summary { cursor: pointer; padding: .1rem 0 .1rem 3.6rem; text-indent: -3.6rem }
summary > * { text-indent: 0 }
details > :not(summary) { margin-left: .5rem }
.status {
  display: inline-block; min-width: 2.3rem; font: 650 12px/1 var(--mono); color: var(--get)
}
.named { margin: 0 0 .35rem }
.s3 { color: var(--soft) }
.s4 { color: var(--put) }
.s5 { color: var(--delete) }
figure {
  margin: 0 0 1rem; border: 1px solid var(--line); border-radius: 7px; overflow: hidden;
  background: var(--raised)
}
figcaption {
  display: flex; justify-content: space-between; align-items: center; min-height: 2.1rem;
  padding: .15rem .75rem; font-size: 12px; color: var(--soft); border-bottom: 1px solid var(--line)
}
pre {
  margin: 0; padding: .75rem; overflow: auto; max-height: 26rem; line-height: 1.5;
  background: var(--raised)
}
.copy {
  font: inherit; padding: .05rem .5rem; color: var(--link); background: none;
  border: 1px solid var(--line); border-radius: 4px; cursor: pointer
}
.schema { scroll-margin-top: 1rem; max-width: 52rem }
@media (max-width: 64rem) {
  .columns { grid-template-columns: minmax(0, 1fr) }
  .samples { position: static; margin-top: 1.25rem }
}
@media (max-width: 48rem) {
  body { display: block }
  nav {
    position: static; height: auto; max-height: 45vh; border-right: 0;
    border-bottom: 1px solid var(--line)
  }
}
`
