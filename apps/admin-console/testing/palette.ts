import { openPage } from '@windlass/ui/testing/browser.ts'
import { expect, test } from 'vitest'
import { anchor } from './records.ts'
import type { AdminConsoleInBrowser } from './browser.ts'

/** The command palette. */
export function paletteTests(admin: AdminConsoleInBrowser): void {
  const { console, open } = admin

  test('the command palette leads to pages and records by keyboard', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/applications', 'Applications')
    await page.getByRole('link', { name: 'Monsoon Pay' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('polic')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { level: 1, name: 'Routing policy' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('monsoon anchor')
    await page.getByRole('option', { name: 'monsoon.anchors.localhost' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${console.url}/fleet?open=${anchor(1).id}`)
    await open(page, '/applications', 'Applications')
    // What only the platform finds: people, and records that are on no first page.
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Go to' }).fill('ravi@')
    await page.getByRole('option', { name: 'ravi@people.example' }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(`${console.url}/audit?subject=${encodeURIComponent('customer:cus_1')}`)
  })

  test('the command palette stays above a panel that opens after it, and closes before it', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    await open(page, '/fleet', 'Fleet')
    const row = page.locator(`a[href$="open=${anchor(1).id}"]`).first()
    await row.waitFor()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Go to' })
    await box.fill('pol')
    // As a page does that was still loading.
    await row.evaluate(each => (each as HTMLElement).click())
    await page.waitForURL(`${console.url}/fleet?open=${anchor(1).id}`)
    // The panel came and took the focus; the palette is above it again.
    await page.locator('[role=dialog]').nth(1).locator('input[role=combobox]').waitFor()
    await expect.poll(() => box.evaluate(each => each === document.activeElement)).toBe(true)
    await page.keyboard.type('icy')
    expect(await box.inputValue()).toBe('policy')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    await page.getByRole('dialog', { name: anchor(1).homeDomain }).waitFor()
  })

  test('the command palette opened over a panel has the focus, gives it back and leads away', async () => {
    const { page } = await openPage(console.browser, 'administrator')
    const path = `/fleet?open=${anchor(0).id}`
    await page.goto(console.url + path)
    const panel = page.getByRole('dialog', { name: anchor(0).homeDomain })
    await panel.getByRole('button', { name: 'Suspend' }).focus()
    await page.keyboard.press('Control+k')
    const box = page.getByRole('combobox', { name: 'Go to' })
    await expect.poll(() => box.evaluate(each => each === document.activeElement)).toBe(true)
    await page.keyboard.type('pol')
    expect(await box.inputValue()).toBe('pol')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
    expect(page.url()).toBe(console.url + path)
    // Escape closed one of the two: the panel can be used.
    await panel.getByRole('button', { name: 'Suspend' }).click()
    await panel.getByLabel('Reason').waitFor()
    await page.keyboard.press('Control+k')
    await box.fill('monsoon anchor')
    await page.getByRole('option', { name: 'monsoon.anchors.localhost' }).click()
    await page.waitForURL(`${console.url}/fleet?open=${anchor(1).id}`)
    await page.getByRole('dialog', { name: anchor(1).homeDomain }).waitFor()
    expect(await box.count()).toBe(0)
  })
}
