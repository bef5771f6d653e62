'use strict'
// Loads the page again when the transaction has moved on, and tells the wallet that opened it.
const { live, version, callback } = document.body.dataset

async function look() {
  try {
    const answer = await fetch(live, { credentials: 'same-origin', headers: { accept: 'application/json' } })
    if (!answer.ok) return
    const state = await answer.json()
    if (state.version !== version) {
      tell(state.transaction)
      location.reload()
    }
  } catch {
    // The next look may succeed.
  }
}

function tell(transaction) {
  const wallet = window.opener ?? (window.parent === window ? null : window.parent)
  if (callback === 'postMessage' && wallet) wallet.postMessage({ transaction }, '*')
}

if (live) setInterval(look, 1500)
document.addEventListener('submit', event => {
  for (const button of event.target.querySelectorAll('button')) button.setAttribute('aria-disabled', 'true')
})
