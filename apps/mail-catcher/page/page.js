// Emails come from anywhere: text goes in as text, HTML only into a sandboxed frame.
const element = id => document.getElementById(id)
const make = (name, properties) => Object.assign(document.createElement(name), properties)
let mails = []
let selected = null
let view = 'html'

element('filter').addEventListener('input', drawList)
element('clear').addEventListener('click', () => {
  if (confirm('Delete all emails?')) void request('/email/all', 'DELETE')
})
element('remove').addEventListener('click', () => void request(`/email/${selected}`, 'DELETE'))
for (const tab of document.querySelectorAll('[data-view]')) {
  tab.addEventListener('click', () => {
    view = tab.dataset.view
    void drawMail()
  })
}
listen()

function listen() {
  const events = new EventSource('/events')
  events.onopen = () => {
    show('Live', 'on')
    void refresh()
  }
  events.onerror = () => show('Reconnecting', 'off')
  events.addEventListener('change', refresh)
}

function show(text, state) {
  element('live').textContent = text
  element('live').className = state
}

async function request(path, method = 'GET') {
  const answer = await fetch(path, { method })
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`)
  return answer
}

async function refresh() {
  mails = (await (await request('/email')).json()).reverse()
  if (!mails.some(mail => mail.id === selected)) {
    selected = null
    void drawMail()
  }
  drawList()
}

function drawList() {
  const wanted = element('filter').value.trim().toLowerCase()
  const shown = mails.filter(mail => searched(mail).includes(wanted))
  const unread = mails.filter(mail => !mail.read).length
  element('count').textContent = mails.length ? `${mails.length}${unread ? `, ${unread} new` : ''}` : ''
  element('empty').hidden = mails.length > 0
  element('mails').replaceChildren(...shown.map(entryOf))
}

const searched = mail =>
  [mail.subject, ...[...mail.from, ...mail.to].map(one => `${one.name} ${one.address}`)]
    .join(' ')
    .toLowerCase()

function entryOf(mail) {
  const button = make('button', { type: 'button', className: mail.read ? '' : 'unread' })
  button.setAttribute('aria-current', String(mail.id === selected))
  button.append(
    make('span', { textContent: mail.subject || '(no subject)' }),
    make('small', { textContent: `To ${people(mail.to)}, ${new Date(mail.time).toLocaleString()}` }),
  )
  button.addEventListener('click', () => {
    selected = mail.id
    view = mail.html ? 'html' : 'text'
    void drawMail()
    drawList()
  })
  const item = document.createElement('li')
  item.append(button)
  return item
}

const people = list => list.map(one => (one.name ? `${one.name} <${one.address}>` : one.address)).join(', ')

async function drawMail() {
  element('mail').hidden = selected === null
  element('none').hidden = selected !== null
  if (selected === null) return
  const mail = await (await request(`/email/${selected}`)).json()
  if (mail.id !== selected) return
  element('subject').textContent = mail.subject || '(no subject)'
  drawFacts(mail)
  for (const tab of document.querySelectorAll('[data-view]')) {
    tab.setAttribute('aria-selected', String(tab.dataset.view === view))
    tab.hidden = tab.dataset.view === 'html' && !mail.html
  }
  element('view').replaceChildren(await contentOf(mail))
  drawAttachments(mail)
}

function drawFacts(mail) {
  const facts = {
    From: people(mail.from),
    To: people(mail.to),
    Cc: people(mail.cc),
    Date: new Date(mail.date),
  }
  const shown = Object.entries(facts).filter(([, value]) => value !== '')
  element('facts').replaceChildren(
    ...shown.flatMap(([name, value]) => [
      make('dt', { textContent: name }),
      make('dd', { textContent: value instanceof Date ? value.toLocaleString() : value }),
    ]),
  )
}

async function contentOf(mail) {
  if (view === 'html') {
    const frame = make('iframe', { src: `/email/${mail.id}/html`, title: 'Email' })
    frame.setAttribute('sandbox', 'allow-popups allow-popups-to-escape-sandbox')
    return frame
  }
  if (view === 'text') return withLinks(mail.text)
  if (view === 'source') {
    return make('pre', { textContent: await (await request(`/email/${mail.id}/source`)).text() })
  }
  const lines = Object.entries(mail.headers).map(([name, value]) => `${name}: ${value}`)
  return make('pre', { textContent: lines.join('\n') })
}

function withLinks(text) {
  const pre = document.createElement('pre')
  for (const part of text.split(/(https?:\/\/[^\s<>"]+)/)) {
    const link = /^https?:\/\//.test(part) && URL.canParse(part)
    pre.append(
      link ? make('a', { href: part, textContent: part, target: '_blank', rel: 'noreferrer' }) : part,
    )
  }
  return pre
}

function drawAttachments(mail) {
  element('attachments').hidden = mail.attachments.length === 0
  element('attachments').replaceChildren(
    ...mail.attachments.map(({ fileName, length }) =>
      make('a', {
        href: `/email/${mail.id}/attachment/${encodeURIComponent(fileName)}`,
        textContent: `${fileName} (${Math.ceil(length / 1024)} KB)`,
      }),
    ),
  )
}
