import { requestWorkspaceManualEntry } from '@windlass/contracts/anchor/manual-entries.ts'
import { createApiKey } from '@windlass/contracts/platform/api-keys.ts'
import { hasChromium, openPage, visit } from '@windlass/ui/testing/browser.ts'
import { Refusal } from '@windlass/ui/testing/fake-platform.ts'
import { beforeEach, describe, expect, test } from 'vitest'
import { answerClosing } from './testing/closing.ts'
import { ANCHOR } from './testing/operators-state.ts'
import { workspacesInBrowser } from './testing/workspaces.ts'

describe.runIf(hasChromium('what walks found, in a browser'))('what walks found', () => {
  const { answer, console, open } = workspacesInBrowser()
  beforeEach(() => void answer())

  test('an error is in Spanish for who reads it, before what the service says, with times of their zone', async () => {
    const said = 'You got your role recently. You can do it from 2026-12-01T01:23:45.000Z on.'
    console.platform.answer(createApiKey, () => new Refusal('second-person-needed', said))
    const { page, context } = await visit(console.browser, 'operator', 'es-ES', 'Europe/Madrid')
    await open(page, `/workspaces/${ANCHOR}/keys`, 'Claves de API')
    const create = page.getByRole('button', { name: 'Crear clave de API' })
    await create.click()
    await page.getByLabel('Nombre', { exact: true }).fill('informes')
    await create.last().click()
    const alert = page.getByRole('dialog').getByRole('alert')
    await alert.getByText('Lo aprueba otra persona que pueda hacerlo.').waitFor()
    await expect
      .poll(() => alert.locator('[lang=en]').innerText())
      .toMatch(/^You got your role recently\. You can do it from 1 dic 2026, 0?2:23 CET on\.$/)
    console.platform.answer(createApiKey, () => new Refusal('too-many-requests', 'Slow down.'))
    await create.last().click()
    await alert.getByText('Espere un momento y reintente.').waitFor()
    expect(await alert.innerText()).not.toContain('Slow down')
    await context.close()
  })

  test('an entry into the journal is of accounts that were chosen, and of a unit that the anchor has', async () => {
    answerClosing(console.platform)
    const written: unknown[] = []
    console.platform.answer(requestWorkspaceManualEntry, ({ body }) => {
      written.push(body)
      return new Refusal('dependency-unavailable', 'Not now.')
    })
    const { page } = await openPage(console.browser, 'operator')
    await open(page, `/workspaces/${ANCHOR}/closing`, 'Entries that people wrote')
    await page.getByRole('button', { name: 'Write an entry' }).click()
    const panel = page.getByRole('dialog')
    const invoice = { name: 'invoice.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') }
    await panel.getByLabel('Document').setInputFiles(invoice)
    await panel.getByLabel('Why').fill('Audit of October')
    await panel.getByLabel('Amount').fill('12.5')
    await panel.getByRole('button', { name: 'Ask for approval' }).click()
    await panel.getByRole('alert').getByRole('link', { name: 'Choose an account.' }).first().waitFor()
    await panel.getByLabel('From account').selectOption('Your own bank accounts')
    await panel.getByLabel('To account').selectOption('Your own bank accounts')
    await panel.getByLabel('Unit').selectOption('EUR')
    await panel.getByLabel('Day').fill('2026-10-30')
    await panel.getByRole('button', { name: 'Ask for approval' }).click()
    await panel.getByRole('alert').getByRole('link', { name: 'Choose another account' }).waitFor()
    expect(written).toEqual([])
    await panel.getByLabel('To account').selectOption('Other costs')
    await panel.getByRole('button', { name: 'Ask for approval' }).click()
    await panel.getByRole('alert').getByText('Not now.').waitFor()
    expect(written).toMatchObject([
      {
        bookedOn: '2026-10-30',
        lines: [
          { account: 'other-costs', unit: 'EUR', amount: '12.5' },
          { account: 'own-bank', unit: 'EUR', amount: '-12.5' },
        ],
      },
    ])
  })
})
