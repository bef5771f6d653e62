import { problems } from '@windlass/contracts/problems.ts'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { problemPage } from './problem-page.ts'

it('a problem page escapes its text and keeps the code of a fence whole', () => {
  const page = problemPage(
    '# A <b> & "c"\n\nUse `x<y>`\nnow.\n\n```json\n{\n\n"a": "<i>"}\n```\n',
    '/style.css',
  )
  expect(page).toContain('<h1>A &lt;b&gt; &amp; &quot;c&quot;</h1>')
  expect(page).toContain('<p>Use <code>x&lt;y&gt;</code>\nnow.</p>')
  expect(page).toContain('<pre tabindex="0"><code>{\n\n&quot;a&quot;: &quot;&lt;i&gt;&quot;}</code></pre>')
})

it('a problem page links to addresses and names the files of the repository', () => {
  const page = problemPage(
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
    const text = problemPage(readFileSync(file, 'utf8'), '/style.css')
      .replace(/<pre[\s\S]*?<\/pre>/g, '')
      .replace(/<code>.*?<\/code>/g, '')
    return /`|\*\*|\]\(|<p>(#|- |\d\. |\|)/.test(text)
  })
  expect(unrendered).toEqual([])
})
