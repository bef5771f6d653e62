'use strict'
const main = document.getElementById('main')
const streams = []

/** An element with attributes and children. Text only ever becomes a text node: ledger data is anyone's. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag)
  for (const [name, value] of Object.entries(attributes))
    if (value !== undefined) made.setAttribute(name, value)
  made.append(...children.flat().filter(child => child !== undefined && child !== null && child !== false))
  return made
}

const short = id => (id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-6)}` : id)
const link = (kind, id, text = short(String(id))) =>
  element('a', { href: `#/${kind}/${encodeURIComponent(id)}`, title: String(id) }, element('code', {}, text))
const account = id => link('account', id)
const transaction = hash => link('transaction', hash)
const ledger = sequence => link('ledger', sequence, String(sequence))

function asset(record, prefix = 'asset') {
  if (record[`${prefix}_type`] === 'native' || record[prefix] === 'native') return 'XLM'
  const name = record[prefix] ?? `${record[`${prefix}_code`]}:${record[`${prefix}_issuer`]}`
  return link('asset', name, name.split(':')[0])
}

/** 1000000.0000000 as 1,000,000: what matters of an amount. */
function amount(text) {
  const [whole, fraction = ''] = text.split('.')
  const kept = fraction.replace(/0+$/, '')
  return whole.replace(/\B(?=(\d{3})+$)/g, ',') + (kept && `.${kept}`)
}

const limit = text => (text === '922337203685.4775807' ? 'no limit' : amount(text))

const time = text =>
  element('time', { datetime: text, title: text }, new Date(text).toLocaleTimeString([], { hour12: false }))
const outcome = successful =>
  element('span', { class: successful ? 'good' : 'bad' }, successful ? 'successful' : 'failed')

function table(caption, columns, rows, key) {
  const body = element('tbody')
  const add = (record, fresh) => {
    const id = key?.(record)
    if (id !== undefined && [...body.rows].some(row => row.dataset.key === String(id))) return
    const cells = columns.map(([, cell, number]) =>
      element('td', { class: number && 'number' }, cell(record) ?? ''),
    )
    const row = element('tr', { class: fresh && 'fresh', 'data-key': id }, cells)
    if (!fresh) return body.append(row)
    body.prepend(row)
    if (body.rows.length > 20) body.deleteRow(-1)
    empty.remove()
  }
  const empty = element('p', { class: 'empty' }, 'Nothing yet.')
  const heads = columns.map(([name, , number]) =>
    element('th', { scope: 'col', class: number && 'number' }, name),
  )
  const whole = element(
    'div',
    { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': caption },
    element(
      'table',
      {},
      element('caption', { class: 'unseen' }, caption),
      element('thead', {}, element('tr', {}, heads)),
      body,
    ),
    rows.length === 0 && empty,
  )
  for (const record of rows) add(record, false)
  return { whole, add }
}

function facts(entries) {
  return element(
    'dl',
    {},
    entries
      .filter(([, value]) => value !== undefined && value !== '' && value !== null)
      .flatMap(([name, value]) => [element('dt', {}, name), element('dd', {}, value)]),
  )
}

class Problem extends Error {}

async function get(path) {
  const response = await fetch(path, { headers: { accept: 'application/json' } })
  const body = await response.json()
  if (!response.ok)
    throw new Problem(
      response.status === 404 ? 'There is nothing here.' : (body.extras?.reason ?? body.title),
    )
  return body
}

const records = async path => (await get(path))._embedded.records

/**
 * Calls back with what comes after the newest record that is shown, until another view is opened. From there and not
 * from `now`: what is recorded before the stream stands would be left out.
 */
function follow(path, newest, receive) {
  const cursor = newest?.paging_token ?? '0'
  const stream = new EventSource(`${path}${path.includes('?') ? '&' : '?'}cursor=${cursor}&limit=200`)
  stream.onmessage = event => receive(JSON.parse(event.data))
  streams.push(stream)
}
