import { problems } from '@windlass/contracts/problems.ts'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { guideNames } from './guides.ts'
import { markdownPage } from './markdown.ts'

it('a problem page escapes its text and keeps the code of a fence whole', () => {
  const page = markdownPage(
    '# A <b> & "c"\n\nUse `x<y>`\nnow.\n\n```json\n{\n\n"a": "<i>"}\n```\n',
    '/style.css',
  )
  expect(page).toContain('<h1 id="a-b--c">A &lt;b&gt; &amp; &quot;c&quot;</h1>')
  expect(page).toContain('<p>Use <code>x&lt;y&gt;</code>\nnow.</p>')
  expect(page).toContain('<pre tabindex="0"><code>{\n\n&quot;a&quot;: &quot;&lt;i&gt;&quot;}</code></pre>')
})

it('a problem page links to addresses and names the files of the repository', () => {
  const page = markdownPage(
    '# A\n\n**Look** at [the RFC](https://rfc.example/a) and [a record](../adr/1.md).',
    '/style.css',
  )
  expect(page).toContain(
    '<p><strong>Look</strong> at <a href="https://rfc.example/a">the RFC</a> and a record.</p>',
  )
})

it('no problem page shows Markdown that it cannot render', () => {
  const unrendered = Object.keys(problems).filter(code => {
    const file = new URL(`../../../docs/problems/${code}.md`, import.meta.url)
    const text = markdownPage(readFileSync(file, 'utf8'), '/style.css')
      .replace(/<pre[\s\S]*?<\/pre>/g, '')
      .replace(/<code>.*?<\/code>/g, '')
    return /`|\*\*|\]\(|<p>(#|- |\d\. |\|)/.test(text)
  })
  expect(unrendered).toEqual([])
})

it('a page of Markdown has its lists, tables and further headings, and links where an address is known', () => {
  const page = markdownPage(
    '# A\n\n### B\n\n- one `*x*`\n- *two*\n\n1. first\n2. second\n\n| a | b |\n|---|---|\n| `c\\|d` | [e](e.md) |',
    '/style.css',
    file => (file === 'e.md' ? 'e' : null),
  )
  expect(page).toContain('<h3 id="b">B</h3>')
  expect(page).toContain('<ul><li>one <code>*x*</code></li><li><em>two</em></li></ul>')
  expect(page).toContain('<ol><li>first</li><li>second</li></ol>')
  expect(page).toContain('<th>a</th><th>b</th>')
  expect(page).toContain('<td><code>c|d</code></td><td><a href="e">e</a></td>')
})

it('no published guide shows Markdown that it cannot render', () => {
  const unrendered = guideNames.flatMap(name => {
    const file = new URL(`../../../docs/guides/${name}.md`, import.meta.url)
    const text = markdownPage(readFileSync(file, 'utf8'), '/style.css')
      .replace(/<pre[\s\S]*?<\/pre>/g, '')
      .replace(/<code>.*?<\/code>/g, '')
    return /.*(`|\*\*|\]\(|<p>(#|- |\d\. |\|)).*/.exec(text)?.[0] ?? []
  })
  expect(unrendered).toEqual([])
})
