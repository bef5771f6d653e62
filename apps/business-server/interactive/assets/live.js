'use strict'
// Reloads the page when the transaction has changed, and posts it to the wallet that opened it; copies and prints.
const { live, version, callback } = document.body.dataset

async function look() {
  // A wallet may wait for the message while its own window covers this one.
  if (document.hidden && callback !== 'postMessage') return
  try {
    const answer = await fetch(live, { credentials: 'same-origin', headers: { accept: 'application/json' } })
    if (!answer.ok) return
    const state = await answer.json()
    if (state.version !== version) {
      postTransaction(state.transaction)
      location.reload()
    }
  } catch {
    // The next look may succeed.
  }
}

function postTransaction(transaction) {
  const wallet = window.opener ?? (window.parent === window ? null : window.parent)
  if (callback === 'postMessage' && wallet) wallet.postMessage({ transaction }, '*')
}

if (live) {
  setInterval(look, 1500)
  document.addEventListener('visibilitychange', look)
}
document.addEventListener('submit', event => {
  for (const button of event.target.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true')
})
for (const button of navigator.clipboard ? document.querySelectorAll('[data-copy]') : []) {
  const words = button.textContent
  button.hidden = false
  button.addEventListener('click', async () => {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = button.dataset.copied
    setTimeout(() => (button.textContent = words), 2000)
  })
}
for (const button of document.querySelectorAll('[data-print]')) {
  button.hidden = false
  button.addEventListener('click', () => window.print())
}
// Another rail asks for other details: the form comes again with them.
for (const choice of document.querySelectorAll('form input[type=radio][name=rail]')) {
  choice.addEventListener('change', () => {
    if (document.querySelector('input[name=dest]')) {
      choice.form.noValidate = true
      choice.form.requestSubmit()
    }
  })
}
