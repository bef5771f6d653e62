// Search and copy buttons. Pages work without them.
const root = document.documentElement.dataset.root
const { searchLabel, none } = {
  searchLabel: 'Search the documentation',
  none: 'Nothing found. Try fewer words.',
}

for (const pre of document.querySelectorAll('main pre')) {
  const box = document.createElement('div')
  const button = document.createElement('button')
  box.className = 'code'
  button.type = 'button'
  button.textContent = 'Copy'
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(pre.textContent)
    button.textContent = 'Copied'
    setTimeout(() => (button.textContent = 'Copy'), 2_000)
  })
  pre.replaceWith(box)
  box.append(pre, button)
}

const form = document.createElement('search')
const input = document.createElement('input')
const list = document.createElement('ol')
form.className = 'search'
list.hidden = true
Object.assign(input, { type: 'search', placeholder: searchLabel, ariaLabel: searchLabel })
form.append(input, list)
document.querySelector('.top').append(form)

/** Sections of all pages: `[page, anchor, title, heading, text]`. */
let sections
const read = () => (sections ??= fetch(`${root}search.json`).then(answer => answer.json()))
input.addEventListener('focus', () => void read())

/** Title counts more than heading, heading more than text; each word has to be somewhere. */
function scoreOf([, , title, heading, text], words) {
  let score = 0
  for (const word of words) {
    const found =
      (title.toLowerCase().includes(word) && 8) ||
      (heading.toLowerCase().includes(word) && 4) ||
      (text.toLowerCase().includes(word) && 1)
    if (!found) return 0
    score += found
  }
  return heading === '' ? score + 1 : score
}

input.addEventListener('input', async () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(Boolean)
  const all = await read()
  if (words.join(' ') !== input.value.toLowerCase().split(/\s+/).filter(Boolean).join(' ')) return
  const found = all
    .map(section => ({ section, score: scoreOf(section, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, 20)
  list.hidden = words.length === 0
  list.replaceChildren(
    ...found.map(({ section: [page, anchor, title, heading, text] }) => {
      const [item, link, detail] = ['li', 'a', 'small'].map(name => document.createElement(name))
      link.href = root + page + (anchor && `#${anchor}`)
      link.textContent = heading ? `${title}: ${heading}` : title
      detail.textContent = text.slice(0, 110)
      link.append(detail)
      item.append(link)
      return item
    }),
  )
  if (found.length === 0) {
    const nothing = document.createElement('p')
    nothing.textContent = none
    list.append(nothing)
  }
})

document.addEventListener('keydown', event => {
  if (event.key === '/' && !/^(INPUT|TEXTAREA)$/.test(document.activeElement?.tagName ?? '')) {
    event.preventDefault()
    input.focus()
  }
  if (event.key === 'Escape') list.hidden = true
  const links = [...list.querySelectorAll('a')]
  if (list.hidden || !['ArrowDown', 'ArrowUp'].includes(event.key)) return
  event.preventDefault()
  const at = links.indexOf(document.activeElement) + (event.key === 'ArrowDown' ? 1 : -1)
  ;(links[at] ?? input).focus()
})
