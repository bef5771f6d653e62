import { isSafeAddress } from './dom.ts'

/**
 * The window for an anchor's page. Browsers open it only during a click, so it is opened empty and gets its address
 * later.
 */
export class Popup {
  #window: Window | null

  constructor() {
    this.#window = window.open('', 'windlass-anchor', 'popup,width=480,height=780')
    // The anchor's page must not be able to navigate this one.
    if (this.#window) this.#window.opener = null
  }

  /** Throws where the address is not a safe one. `blocked`: the browser opened no window. */
  show(address: string): 'open' | 'blocked' {
    if (!isSafeAddress(address)) {
      this.close()
      throw new AddressRefused()
    }
    if (!this.#window || this.#window.closed) return 'blocked'
    this.#window.location.replace(address)
    this.#window.focus()
    return 'open'
  }

  close(): void {
    this.#window?.close()
    this.#window = null
  }
}

/** The anchor named an address that cannot be opened safely. */
export class AddressRefused extends Error {}
