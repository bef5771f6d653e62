// Updates every two seconds. Text is set as text, never as markup.
const element = id => document.getElementById(id)
const filter = element('filter')
let last = null
let history = []

filter.addEventListener('input', () => last && drawRoutes(last))
refresh()

async function refresh() {
  try {
    const answer = await fetch('/api/routes', { signal: AbortSignal.timeout(5000) })
    if (!answer.ok) throw new Error(String(answer.status))
    last = await answer.json()
    drawFigures(last)
    drawRoutes(last)
    show('Live', 'on')
  } catch {
    show('Reconnecting', 'off')
  }
  setTimeout(refresh, 2000)
}

function show(text, state) {
  const live = element('live')
  if (live.textContent !== text) live.textContent = text
  live.className = state
}

function drawFigures({ routes, targets, answers, port, startedAt }) {
  const total = Object.values(answers).reduce((sum, count) => sum + count, 0)
  const now = Date.now()
  history = [...history.filter(([at]) => now - at < 60_000), [now, total]]
  const [from, before] = history[0]
  const minutes = (now - from) / 60_000
  element('hosts').textContent = routes.length
  element('up').textContent = `${targets.filter(target => target.state === 'up').length} / ${targets.length}`
  element('rate').textContent = minutes > 0 ? Math.round((total - before) / minutes) : 0
  element('failed').textContent = answers['5xx'] ?? 0
  element('summary').textContent = `Port ${port}, since ${new Date(startedAt).toLocaleString()}`
}

function drawRoutes({ routes, targets }) {
  const wanted = filter.value.trim().toLowerCase()
  const health = new Map(targets.map(target => [target.target, target]))
  const shown = routes.filter(({ host, label }) => `${host} ${label ?? ''}`.toLowerCase().includes(wanted))
  element('empty').hidden = shown.length > 0
  const focused = document.activeElement?.closest('#routes a')?.href
  element('routes').replaceChildren(...shown.flatMap(route => rowsOf(route, health)))
  if (focused) [...document.querySelectorAll('#routes a')].find(link => link.href === focused)?.focus()
}

function rowsOf(route, health) {
  return route.rules.map((rule, index) => {
    const row = document.createElement('tr')
    if (index === 0) row.className = 'first'
    const target = rule.target === null ? 'not served (404)' : rule.target
    row.append(
      cell(...(index === 0 ? hostOf(route) : [])),
      cell(rule.prefix),
      cell(target),
      cell(...(rule.target === null ? [] : [stateOf(health.get(rule.target))])),
    )
    return row
  })
}

function hostOf({ host, url, label, kind }) {
  const link = Object.assign(document.createElement('a'), { href: url, textContent: host })
  const text = label ?? (kind === 'platform' ? 'platform' : '')
  const note = Object.assign(document.createElement('span'), { className: 'label', textContent: text })
  return text ? [link, note] : [link]
}

function stateOf(target) {
  const { state, ms, detail } = target ?? { state: 'unknown', ms: null, detail: 'no check yet' }
  const mark = document.createElement('span')
  mark.className = `state ${state}`
  mark.textContent = state
  const more = Object.assign(document.createElement('small'), {
    textContent: ms === null ? ` ${detail}` : ` ${detail}, ${ms} ms`,
  })
  mark.append(more)
  return mark
}

function cell(...content) {
  const made = document.createElement('td')
  made.append(...content)
  return made
}
