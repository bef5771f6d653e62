/** Colors follow the page's `color-scheme`. Each custom property that a page may set has its default beside it. */
const CSS = `
:host {
  --accent: var(--windlass-accent, light-dark(#0a5f73, #6fd0e4));
  --on-accent: var(--windlass-on-accent, light-dark(#ffffff, #06222b));
  --surface: var(--windlass-surface, light-dark(#ffffff, #14191d));
  --sunken: var(--windlass-sunken, light-dark(#f1f5f7, #0d1114));
  --ink: var(--windlass-ink, light-dark(#14232c, #eef3f5));
  --ink-soft: var(--windlass-ink-soft, light-dark(#4c5d67, #b3c1c9));
  --line: var(--windlass-line, light-dark(#d5dee3, #333e45));
  --control-line: var(--windlass-control-line, light-dark(#72838d, #7d8d96));
  --bad: var(--windlass-bad, light-dark(#a3231b, #ffb0a6));
  --good: var(--windlass-good, light-dark(#156a3c, #7fdca6));
  --radius: var(--windlass-radius, 8px);
  display: block;
  container-type: inline-size;
  max-width: 30rem;
  font: var(--windlass-font, 400 0.9375rem/1.5 system-ui, sans-serif);
  color: var(--ink);
}
:host([hidden]) { display: none }
* { box-sizing: border-box }
.card { background: var(--surface); border: 1px solid var(--line); border-radius: calc(var(--radius) + 4px); padding: 1.25rem; overflow-wrap: anywhere; position: relative }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 0 0 1rem }
h2:focus { outline: none }
h3 { font-size: 1rem; margin: 1.25rem 0 .5rem }
p { margin: .5rem 0 }
label { display: block; font-weight: 600; margin-top: .75rem }
input[type=text], select { font: inherit; color: inherit; background: var(--surface); width: 100%; min-height: 2.75rem; padding: .25rem .75rem; margin-top: .25rem; border: 1px solid var(--control-line); border-radius: var(--radius) }
.soft, .hint { color: var(--ink-soft); font-size: .875rem }
.error { color: var(--bad) }
button { font: inherit; font-weight: 600; min-height: 2.75rem; padding: .25rem 1rem; border-radius: var(--radius); border: 1px solid var(--control-line); background: var(--surface); color: var(--ink); cursor: pointer }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent) }
button:disabled { opacity: .6; cursor: default }
a { color: var(--accent) }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
.actions { display: flex; flex-wrap: wrap; gap: .5rem; margin-top: 1.25rem }
fieldset { border: 0; padding: 0; margin: 1.25rem 0 0 }
legend { font-weight: 600; padding: 0 }
.offer { display: flex; gap: .75rem; align-items: flex-start; border: 1px solid var(--line); border-radius: var(--radius); padding: .75rem; margin-top: .5rem; font-weight: 400; cursor: pointer }
.offer:has(input:checked) { border-color: var(--accent); box-shadow: inset 0 0 0 1px var(--accent) }
.offer input { margin: .3rem 0 0; accent-color: var(--accent) }
.offer > span { flex: 1; min-width: 0 }
.offer b, .offer span span { display: block }
.badge { display: inline-block !important; font-size: .8125rem; font-weight: 600; padding: 0 .5rem; margin-inline-start: .5rem; border-radius: 1rem; background: var(--sunken); color: var(--ink); border: 1px solid var(--line) }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .25rem 1rem; margin: .75rem 0 0 }
dt { color: var(--ink-soft) }
dd { margin: 0; text-align: end; font-variant-numeric: tabular-nums; min-width: 0 }
details { margin-top: .75rem }
summary { cursor: pointer; color: var(--accent); font-weight: 600; padding: .5rem 0 }
pre { white-space: pre-wrap; font: inherit; font-size: .875rem; color: var(--ink-soft); background: var(--sunken); border-radius: var(--radius); padding: .75rem; margin: .5rem 0 0 }
ol { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; margin: .75rem 0 }
ol li { color: var(--ink-soft) }
ol li[aria-current] { color: var(--ink); font-weight: 600; border-bottom: 2px solid var(--accent) }
ol li.done { color: var(--good) }
figure { margin: 1rem 0 0 }
figure svg { display: block; max-width: 100%; height: auto; border-radius: var(--radius) }
/* Who reads this on the phone opens the link. */
@media (pointer: coarse) { figure { display: none } }
.live { min-height: 1.5em }
.unseen { position: absolute; width: 1px; height: 1px; margin: 0; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
code { font-family: ui-monospace, monospace; font-size: .8125rem }
@container (max-width: 22rem) { dl { grid-template-columns: 1fr } dd { text-align: start; margin-bottom: .25rem } }
`

let sheet: CSSStyleSheet | undefined

/** One sheet for all elements of a page. Not a `<style>`: a strict content security policy refuses those. */
export function styleSheet(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS)
  }
  return sheet
}
